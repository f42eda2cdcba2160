import { isRecord } from '@clewline/core'

/** Names to text of a `files` channel: texts, or deepagents' `{content: text | lines}`. Null for any other value. */
export function filesOf(value: unknown): Record<string, string> {
  const files: Record<string, string> = {}
  if (!isRecord(value)) return files
  for (const [name, file] of Object.entries(value)) {
    const text = fileText(file)
    if (text !== null) files[name] = text
  }
  return files
}

/** The text of one file, or null when the value is not a file (deepagents removes a file by writing null). */
export function fileText(file: unknown): string | null {
  if (typeof file === 'string') return file
  if (!isRecord(file)) return null
  const { content } = file
  if (typeof content === 'string') return content
  if (Array.isArray(content) && content.every((line) => typeof line === 'string')) return content.join('\n')
  if (content instanceof Uint8Array) return `[${content.byteLength} bytes]`
  return null
}
