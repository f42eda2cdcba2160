import { isRecord, type Todo } from '@clewline/core'

type Values = Readonly<Record<string, unknown>>

/** Channels that are shown in other ways, or that are an agent's own bookkeeping. */
const NOT_STATE = new Set(['messages', 'todos', 'files', 'jumpTo'])

/** The channels among `names` that are an agent's state, as `[name, value]`. */
export function stateIn(values: Values, names: Iterable<string>): [string, unknown][] {
  return [...names]
    .filter((name) => !NOT_STATE.has(name) && !name.startsWith('_') && name in values)
    .map((name) => [name, values[name]])
}

/** The plan in a `todos` channel; null for any other value. */
export function todosOf(value: unknown): readonly Todo[] | null {
  if (!Array.isArray(value)) return null
  return value.filter(isRecord).map(({ content, status }) => ({
    content: typeof content === 'string' ? content : '',
    status: isStatus(status) ? status : 'pending',
  }))
}

const STATUSES = new Set(['pending', 'in_progress', 'completed'])

const isStatus = (value: unknown): value is Todo['status'] => typeof value === 'string' && STATUSES.has(value)

/** Names to text of a `files` channel: texts, or deepagents' `{content: text | lines}`. What is not a file is left out. */
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
function fileText(file: unknown): string | null {
  if (typeof file === 'string') return file
  if (!isRecord(file)) return null
  const { content } = file
  if (typeof content === 'string') return content
  if (Array.isArray(content) && content.every((line) => typeof line === 'string')) return content.join('\n')
  if (content instanceof Uint8Array) return `[${content.byteLength} bytes]`
  return null
}

/** A change of files: a `files` channel's update (name to file, null removes) or a delta (`added`, `changed`, `removed`). */
export function fileChange(value: unknown): { set: Record<string, string>; removed: readonly string[] } {
  if (!isRecord(value)) return { set: {}, removed: [] }
  const { added, changed, removed } = value
  if (isMap(added) || isMap(changed) || Array.isArray(removed)) {
    const gone = Array.isArray(removed) ? removed.filter((name) => typeof name === 'string') : []
    return { set: { ...filesOf(added), ...filesOf(changed) }, removed: gone }
  }
  return { set: filesOf(value), removed: Object.keys(value).filter((name) => value[name] === null) }
}

/** Not a file that happens to be called "added". */
const isMap = (value: unknown): boolean => isRecord(value) && fileText(value) === null
