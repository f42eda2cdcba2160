/** The name that the highlighter knows a file's language by: its extension. */
export function languageOfFile(name: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? 'text'
  return extension === 'md' ? 'markdown' : extension
}
