/** Absolute paths of the server are for its operator: of each, a client is shown the last name only. URLs stay. */
export function withoutPaths(message: string): string {
  return message.replaceAll(/(?<![\w:/.~])(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+)+[\\/]([\w.@+~-]+)/g, '…/$1')
}
