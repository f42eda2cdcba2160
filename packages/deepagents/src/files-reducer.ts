import { cutText } from './cut-text.ts'
import { refuseFileName } from './file-name.ts'
import { applyChange, isFileOperation, type FileOperation, type Files } from './file-operation.ts'

/** What may be written to `files`: contents by name, where null deletes, or acknowledged operations. */
export type FilesUpdate = Readonly<Record<string, string | null>> | readonly FileOperation[]

/** Why a value cannot be written to `files`, or undefined when it can. It may have come from a client. */
export function refuseFilesUpdate(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'Files are contents by name.'
  if (Array.isArray(value)) {
    if (!value.every(isFileOperation)) return 'Not every operation on files is well formed.'
    return value.map(({ name }) => refuseFileName(name)).find((refusal) => refusal !== undefined)
  }
  for (const [name, content] of Object.entries(value)) {
    const refusal = refuseFileName(name)
    if (refusal !== undefined) return refusal
    if (typeof content !== 'string' && content !== null) return `The content of ${name} is not text.`
  }
  return undefined
}

interface History {
  readonly base: Files
  readonly operations: readonly FileOperation[]
}

const histories = new WeakMap<Files, History>()

/**
 * Merges a write into the files. LangGraph hands over the writes of parallel calls one by one and in the order of the
 * calls, not in the order in which things happened; so the operations of a superstep are kept beside the value, and those
 * that come late are put where their stamp belongs. The result does not depend on the order of the writes.
 */
export function reduceFiles(current: Files, update: FilesUpdate): Files {
  if (!isOperations(update)) return mergeContents(current, update)
  if (update.length === 0) return current
  const known = histories.get(current)
  const arrived = update.length === 1 ? update : update.toSorted((a, b) => a.stamp - b.stamp)
  const newest = known?.operations.at(-1)?.stamp ?? 0
  const isLater = (arrived[0]?.stamp ?? 0) > newest
  const base = known?.base ?? current
  const operations = [...(known?.operations ?? []), ...arrived]
  if (isLater) return remember(replay(current, arrived), { base, operations })
  operations.sort((a, b) => a.stamp - b.stamp)
  return remember(replay(base, operations), { base, operations })
}

/**
 * LangGraph reduces all writes of a superstep in one go (1.4.18), so nothing comes late after that. A history that was kept
 * for longer would hold every version of every file that a long run ever wrote.
 */
function remember(files: Files, history: History): Files {
  histories.set(files, history)
  queueMicrotask(() => histories.delete(files))
  return files
}

function isOperations(update: FilesUpdate): update is readonly FileOperation[] {
  return Array.isArray(update)
}

function mergeContents(current: Files, update: Readonly<Record<string, string | null>>): Files {
  return withChanges(current, new Map(Object.entries(update)))
}

/** Only the files that the operations touch are taken out and put back: a workspace may hold hundreds of others. */
function replay(base: Files, operations: readonly FileOperation[]): Files {
  const touched = new Map<string, string>()
  for (const { name } of operations) {
    for (const one of [name, conflictName(name)]) {
      const content = Object.hasOwn(base, one) ? base[one] : undefined
      if (content !== undefined) touched.set(one, content)
    }
  }
  const before = [...touched.keys()]
  const seen = new Set<number>()
  for (const operation of operations) {
    if (seen.has(operation.stamp)) continue
    seen.add(operation.stamp)
    if (!applyChange(touched, operation) && operation.op === 'edit') keepAside(touched, operation)
  }
  const changes = new Map<string, string | null>(touched)
  for (const name of before) if (!touched.has(name)) changes.set(name, null)
  return withChanges(base, changes)
}

function withChanges(files: Files, changes: ReadonlyMap<string, string | null>): Files {
  const next: Record<string, string> = { ...files }
  for (const [name, content] of changes) {
    if (content === null) delete next[name]
    else next[name] = content
  }
  return next
}

/**
 * Two processes acknowledged edits of the same text without knowing of each other (one died in between). The first
 * stands, the second is kept where agents and people will find it.
 */
function keepAside(files: Map<string, string>, edit: FileOperation & { op: 'edit' }): void {
  const name = conflictName(edit.name)
  const entry = `<<<<<<< to be replaced\n${edit.old}\n=======\n${edit.new}\n>>>>>>> by an edit that no longer fits\n`
  files.set(name, (files.get(name) ?? '') + entry)
}

/** Where a version is kept that must not overwrite another one. */
export function conflictName(name: string): string {
  return `${cutText(name, 190)}.conflict`
}
