const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** What opens the commands, as it is printed on the keys of this machine. */
export const COMMANDS_KEY = isMac ? '⌘K' : 'Ctrl K'
