import { createHash } from 'node:crypto'
import { seatGiven } from './agent-runtime.ts'
import { changesOf } from './change-file.ts'
import type { FileBackend } from './file-backend.ts'
import { nextStamp, type FileOperation } from './file-operation.ts'

/** Which agent keeps a file. */
export interface Keeper {
  readonly isSubAgent: boolean
  readonly backend?: FileBackend | undefined
}

interface Kept {
  readonly files: readonly FileOperation[]
  readonly _fileOperations?: readonly FileOperation[]
}

/** Writes a file on behalf of an agent, not of one of its tools. Returns what has to be written to its state. */
export async function keepFile(
  { isSubAgent, backend }: Keeper,
  configurable: Readonly<Record<string, unknown>> | undefined,
  { name, content }: { name: string; content: string },
): Promise<Kept> {
  const change = { op: 'write', name, content } as const
  const seat = isSubAgent ? seatGiven(configurable) : undefined
  const operation = seat?.workspace.commit(change, seat.owner) ?? { ...change, stamp: nextStamp() }
  if (seat !== undefined) {
    await seat.workspace.save(operation)
    return changesOf(seat, [operation], [name])
  }
  if (backend?.owns(name) !== true) return { files: [operation] }
  await backend.apply(operation)
  return { files: [] }
}

/**
 * A name for text that an agent did not name itself. With a hash of the text: ids of calls are used again by some
 * servers, and a backend may be shared by many conversations.
 */
export function nameFor(stem: string, content: string, extension: string): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8)
  return `${stem.replaceAll(/[^\w-]+/g, '_').slice(0, 150)}_${hash}.${extension}`
}
