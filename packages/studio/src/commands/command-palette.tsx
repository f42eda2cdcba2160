import { Autocomplete } from '@base-ui/react/autocomplete'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { COMMAND_GROUPS, type Command } from './command.ts'
import { offeredCommands } from './offered-commands.ts'

interface Group {
  readonly value: string
  readonly items: readonly Command[]
}

/** Everything that can be done from here, by typing a part of its name. Loaded when it is first asked for. */
export default function CommandPalette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [groups] = useState(() => grouped(offeredCommands()))
  return (
    <CSPProvider disableStyleElements>
      <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
        <Dialog.Portal>
          <Dialog.Backdrop className="cw-backdrop" />
          <Dialog.Popup className="cw-dialog cw-palette" aria-label="Commands">
            <Autocomplete.Root
              open
              inline
              items={groups}
              autoHighlight="always"
              keepHighlight
              itemToStringValue={(command: Command) => `${command.title} ${command.group}`}
            >
              <label className="cw-palette-find">
                <Search size={15} aria-hidden />
                <Autocomplete.Input
                  aria-label="Find a command or a thread"
                  placeholder="Find a command or a thread"
                />
              </label>
              <Autocomplete.Empty className="cw-palette-none">Nothing is called this.</Autocomplete.Empty>
              <Autocomplete.List className="cw-palette-list">
                {(group: Group) => (
                  <Autocomplete.Group key={group.value} items={group.items}>
                    <Autocomplete.GroupLabel className="cw-palette-group">
                      {group.value}
                    </Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(command: Command) => (
                        <Autocomplete.Item
                          key={command.id}
                          value={command}
                          className="cw-menu-item"
                          onClick={() => {
                            onClose()
                            command.run()
                          }}
                        >
                          <span>{command.title}</span>
                          {command.key !== undefined && <kbd className="cw-kbd">{command.key}</kbd>}
                        </Autocomplete.Item>
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
            </Autocomplete.Root>
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </CSPProvider>
  )
}

function grouped(commands: readonly Command[]): readonly Group[] {
  return COMMAND_GROUPS.map((value) => ({
    value,
    items: commands.filter(({ group }) => group === value),
  })).filter(({ items }) => items.length > 0)
}
