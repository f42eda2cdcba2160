import type { ToolRuntime } from '@langchain/core/tools'
import type { Todo } from './deep-agent-state.ts'
import type { FileOperation, Files } from './file-operation.ts'
import { workspaceOver, type Workspace } from './workspace.ts'

/** What a tool of a deep agent is handed beside its arguments. */
export type AgentRuntime = ToolRuntime<{
  files?: Files
  todos?: readonly Todo[]
  /** Only a sub-agent has it. */
  fileOperations?: readonly FileOperation[]
}>

/** An agent's place at a workspace that it may share with others. */
export interface Seat {
  readonly workspace: Workspace
  /** The tool-call ids that lead to this agent; the main agent's is empty. */
  readonly owner: string
}

const SEAT_KEY = '__deepagents_seat'
// The configuration may hold values that a client sent; only what this module made is believed.
const seats = new WeakSet<object>()

/** Configuration that seats a sub-agent, launched by `toolCallId`, at its caller's workspace. */
export function seatBelow(
  seat: Seat,
  toolCallId: string,
): { owner: string; configurable: Record<string, Seat> } {
  const owner = seat.owner === '' ? toolCallId : `${seat.owner}/${toolCallId}`
  const below: Seat = { workspace: seat.workspace, owner }
  seats.add(below)
  return { owner, configurable: { [SEAT_KEY]: below } }
}

const NO_FILES: Files = Object.freeze({})

/** Where the calling agent sits. After a pause, what it had changed before is put back first. */
export function seatOf(runtime: AgentRuntime): Seat {
  const files = runtime.state.files ?? NO_FILES
  const given: unknown = runtime.configurable?.[SEAT_KEY]
  if (!isSeat(given)) return { workspace: workspaceOver(files), owner: '' }
  given.workspace.adopt(runtime.state.fileOperations ?? [], given.owner, files)
  return given
}

function isSeat(value: unknown): value is Seat {
  return typeof value === 'object' && value !== null && seats.has(value)
}
