import { ClewlineError } from '@clewline/core'
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { dumpState } from './dump-state.ts'
import { reviveState } from './revive-state.ts'

/**
 * LangGraph's serialisation of states, in its own format, with three differences. Plain data that looks like a
 * serialised object (`{ lc: 1, type: 'constructor', … }`) is escaped, so that what a client sends is never taken for an
 * instruction to construct something. A class that cannot be loaded is plain data instead of an error. And reading is
 * one synchronous walk: LangGraph's own (1.1.5) makes a promise for each number in a state.
 */
export const checkpointSerde: SerializerProtocol = {
  async dumpsTyped(value: unknown) {
    return value instanceof Uint8Array ? ['bytes', value] : ['json', Buffer.from(dumpState(value))]
  },
  async loadsTyped(type, data): Promise<unknown> {
    switch (type) {
      case 'bytes':
        return typeof data === 'string' ? Buffer.from(data) : data
      case 'json':
        return await reviveState(typeof data === 'string' ? data : Buffer.from(data).toString()).catch(
          (cause: unknown) => {
            throw unreadable(cause instanceof Error ? cause.message : String(cause), cause)
          },
        )
    }
    throw unreadable(`its type is "${type}"`)
  },
}

function unreadable(why: string, cause?: unknown): ClewlineError {
  return new ClewlineError('conflict', `A saved state of this thread cannot be read: ${why}.`, {
    hint: 'Its log can still be read and exported. Restore a backup of the store, or delete the thread.',
    cause,
  })
}
