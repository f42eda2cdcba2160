import { useEffect } from 'react'
import { offeredCommands } from './offered-commands.ts'

/** Does what a key stands for. Ctrl or ⌘ with K opens the commands, also while one writes. */
export function useShortcuts(openCommands: () => void): void {
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) {
        event.preventDefault()
        openCommands()
        return
      }
      if (hasModifier || event.defaultPrevented || isWriting(event) || isAsked()) return
      const command = offeredCommands().find(({ key }) => key === event.key)
      if (command === undefined) return
      event.preventDefault()
      command.run()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [openCommands])
}

/** The first of the path is inside the shadow root of an editor; the target would be its host. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type="range"]), textarea, select'))
  )
}

/** A dialog or a menu is open, and keys are for it. */
function isAsked(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"]') !== null
}
