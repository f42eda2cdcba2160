import { lazy, Suspense, useCallback, useState, type ReactNode } from 'react'
import type { Command } from './command.ts'
import { useCommands } from './offered-commands.ts'
import { ShortcutHelp } from './shortcut-help.tsx'
import { useShortcuts } from './use-shortcuts.ts'

const CommandPalette = lazy(() => import('./command-palette.tsx'))

/** Hears the keys, and shows the list of commands or of keys when asked. `commands` are those of every page. */
export function CommandCenter(props: {
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly commands: () => readonly Command[]
}): ReactNode {
  const { isOpen, onOpen, commands } = props
  const [hasHelp, setHelp] = useState(false)
  useShortcuts(useCallback(() => onOpen(true), [onOpen]))
  useCommands(() => [
    ...commands(),
    { id: 'keys', title: 'Keyboard shortcuts', group: 'Go to', key: '?', run: () => setHelp(true) },
  ])
  return (
    <>
      {isOpen && (
        <Suspense fallback={null}>
          <CommandPalette onClose={() => onOpen(false)} />
        </Suspense>
      )}
      {hasHelp && <ShortcutHelp onClose={() => setHelp(false)} />}
    </>
  )
}
