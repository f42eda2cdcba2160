import { useState, type ReactNode } from 'react'
import { Dialog } from '../design/dialog.tsx'
import { COMMANDS_KEY } from './key-text.ts'
import { offeredCommands } from './offered-commands.ts'

/** The keys that do something here: those of the commands that are offered, so that it is always true. */
export function ShortcutHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [commands] = useState(() => offeredCommands().filter(({ key }) => key !== undefined))
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="cw-keys">
        <Key keys={COMMANDS_KEY} title="All commands" />
        {commands.map(({ id, key, title }) => (
          <Key key={id} keys={key ?? ''} title={title} />
        ))}
        <Key keys="Enter" title="Send the message" />
        <Key keys="Shift Enter" title="Break the line in a message" />
        <Key keys="← → ↑ ↓" title="Walk through the call tree" />
      </dl>
    </Dialog>
  )
}

function Key({ keys, title }: { readonly keys: string; readonly title: string }): ReactNode {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <kbd className="cw-kbd">{keys}</kbd>
      </dd>
    </div>
  )
}
