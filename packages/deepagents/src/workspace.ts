import type { FileBackend } from './file-backend.ts'
import { applyChange, nextStamp, type FileChange, type FileOperation, type Files } from './file-operation.ts'

/**
 * The files as they are right now, shared by every call of one superstep and by all sub-agents below it. JavaScript
 * runs one tool at a time between awaits, so each commit is atomic, and the order of the commits is the order that
 * explains the result. The state gets the same commits when the superstep ends (`reduceFiles`).
 */
export interface Workspace {
  /** What it started with. */
  readonly base: Files
  read(name: string): string | undefined
  names(): string[]
  snapshot(): Record<string, string>
  /** Those that are in the state: what a backend keeps is not copied into it. */
  stateFiles(): Record<string, string>
  /** Total size in characters. */
  size(): number
  /** Who committed the newest change of this file, or undefined for a file that is unchanged so far. */
  changedBy(name: string): string | undefined
  /** Makes the change if it fits, and stamps it. */
  commit(change: FileChange, owner: string): FileOperation | undefined
  /** Whether a file is kept by a backend, and not in the state. */
  isKept(name: string): boolean
  /**
   * Writes a committed change through to the backend that keeps the file. False when it does not fit there, because
   * another process changed the file meanwhile: the change is withdrawn, and the file is what the backend holds.
   */
  save(operation: FileOperation): Promise<boolean>
  /** What an agent and the agents below it have committed, in order. */
  operationsOf(owner: string): FileOperation[]
  /** Takes over what an agent committed before its process died or paused. `view` is what it saw last. */
  adopt(operations: readonly FileOperation[], owner: string, view: Files): void
}

/** Over files that a superstep starts with. */
export function createWorkspace(base: Files, backend?: FileBackend): Workspace {
  const files = new Map(Object.entries(base))
  const log: { owner: string; operation: FileOperation }[] = []
  const stamps = new Set<number>()
  const owners = new Map<string, string>()
  let size = 0
  for (const content of files.values()) size += content.length

  function record(operation: FileOperation, owner: string): void {
    log.push({ owner, operation })
    stamps.add(operation.stamp)
    owners.set(operation.name, owner)
  }

  function measured(name: string, change: () => boolean): boolean {
    const before = files.get(name)?.length ?? 0
    const applied = change()
    size += (files.get(name)?.length ?? 0) - before
    return applied
  }

  return {
    base,
    read: (name) => files.get(name),
    names: () => [...files.keys()].sort(),
    snapshot: () => Object.fromEntries(files),
    stateFiles: () =>
      Object.fromEntries(backend === undefined ? files : [...files].filter(([name]) => !backend.owns(name))),
    size: () => size,
    changedBy: (name) => owners.get(name),
    commit(change, owner) {
      if (!measured(change.name, () => applyChange(files, change))) return undefined
      const operation = { ...change, stamp: nextStamp() }
      record(operation, owner)
      return operation
    },
    isKept: (name) => backend?.owns(name) === true,
    async save(operation) {
      if (backend?.owns(operation.name) !== true) return true
      let isSaved = false
      try {
        isSaved = await backend.apply(operation)
      } finally {
        if (!isSaved) await withdraw(operation, backend)
      }
      return isSaved
    },
    operationsOf: (owner) =>
      log
        .filter((entry) => entry.owner === owner || entry.owner.startsWith(`${owner}/`))
        .map((entry) => entry.operation)
        .sort((a, b) => a.stamp - b.stamp),
    adopt(operations, owner, view) {
      for (const operation of operations) {
        if (stamps.has(operation.stamp)) continue
        const { name } = operation
        const isReplaced = log.some(
          (entry) =>
            entry.owner === owner &&
            entry.operation.stamp > operation.stamp &&
            replaces(entry.operation, name),
        )
        if (isReplaced) {
          record(operation, owner)
          continue
        }
        const applied = measured(name, () => applyChange(files, operation))
        // It built on a sibling's change, which this process has not seen; the agent's own view has the outcome.
        if (!applied) measured(name, () => show(name, view[name]))
        record(operation, owner)
      }
    },
  }

  async function withdraw(operation: FileOperation, from: FileBackend): Promise<void> {
    log.splice(
      log.findIndex((entry) => entry.operation === operation),
      1,
    )
    const { name } = operation
    const kept = await from.load()
    measured(name, () => show(name, kept[name]))
  }

  function show(name: string, content: string | undefined): boolean {
    if (content === undefined) return files.delete(name)
    files.set(name, content)
    return true
  }
}

/** A hook of the agent may have run before its work was put back. */
function replaces(later: FileOperation, name: string): boolean {
  return later.name === name && later.op !== 'edit'
}
