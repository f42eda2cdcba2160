/** The workspace in the state: contents by flat name. */
export type Files = Readonly<Record<string, string>>

/**
 * One acknowledged change to the workspace. `stamp` orders the changes of calls that ran at the same time: a later
 * change has a larger stamp, also when it was made by a later process.
 */
export type FileOperation =
  | { readonly op: 'write'; readonly name: string; readonly content: string; readonly stamp: number }
  | {
      readonly op: 'edit'
      readonly name: string
      readonly old: string
      readonly new: string
      readonly all: boolean
      readonly stamp: number
    }
  | { readonly op: 'delete'; readonly name: string; readonly stamp: number }

type WithoutStamp<T> = T extends unknown ? Omit<T, 'stamp'> : never

/** A change that is not acknowledged yet. */
export type FileChange = WithoutStamp<FileOperation>

export function isFileOperation(value: unknown): value is FileOperation {
  if (typeof value !== 'object' || value === null) return false
  if (!('name' in value && typeof value.name === 'string')) return false
  if (!('stamp' in value && typeof value.stamp === 'number' && 'op' in value)) return false
  if (value.op === 'delete') return true
  if (value.op === 'write') return 'content' in value && typeof value.content === 'string'
  if (value.op !== 'edit' || !('old' in value && 'new' in value && 'all' in value)) return false
  return typeof value.old === 'string' && typeof value.new === 'string' && typeof value.all === 'boolean'
}

let last = 0

/** Monotonic: microseconds since the epoch, or one more than the last stamp when the clock has not moved. */
export function nextStamp(): number {
  last = Math.max(last + 1, Date.now() * 1000)
  return last
}

/** How often `part` occurs in `text`, without overlaps. */
export function countOccurrences(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1
  return count
}

/**
 * Applies a change. False, with the files untouched, when the change does not fit: an edit whose text is not there
 * exactly once (or at least once for `all`), or a delete of a file that is gone.
 */
export function applyChange(files: Map<string, string>, change: FileChange): boolean {
  switch (change.op) {
    case 'write':
      files.set(change.name, change.content)
      return true
    case 'delete':
      return files.delete(change.name)
    case 'edit': {
      const content = files.get(change.name)
      if (content === undefined) return false
      const found = countOccurrences(content, change.old)
      if (found === 0 || (found > 1 && !change.all)) return false
      // A function as replacement: `$&` in the new text is text.
      files.set(
        change.name,
        content.replaceAll(change.old, () => change.new),
      )
      return true
    }
  }
}
