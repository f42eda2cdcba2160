import type { BaseMessage } from '@langchain/core/messages'
import type { ToolRuntime } from '@langchain/core/tools'
import type { FileBackend } from './file-backend.ts'
import type { Todo } from './deep-agent-state.ts'
import type { FileOperation, Files } from './file-operation.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

/** What a tool of a deep agent is handed beside its arguments. */
export type AgentRuntime = ToolRuntime<
  FileState & { todos?: readonly Todo[]; messages?: readonly BaseMessage[] }
>

/** What an agent's state knows of files. */
export type FileState = {
  files?: Files | undefined
  /** Only a sub-agent has it. */
  _fileOperations?: readonly FileOperation[] | undefined
}

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

/** Where the calling agent sits. A backend has to be loaded first, once per superstep. */
export async function seatOf(runtime: AgentRuntime, backend?: FileBackend): Promise<Seat> {
  const taken = takeSeat(runtime.configurable, runtime.state)
  if (taken !== undefined) return taken
  return { workspace: await workspaceOfStep(runtime, runtime.state.files ?? NO_FILES, backend), owner: '' }
}

/** How a tool finds its seat. */
export type OpenSeat = (runtime: AgentRuntime) => Promise<Seat>

/**
 * A sub-agent's seat, with what it had changed before a pause put back. Undefined for a main agent, also for one that a
 * tool of a sub-agent runs: it is handed the same configuration, but has files of its own.
 */
export function takeSeat(
  configurable: Readonly<Record<string, unknown>> | undefined,
  state: FileState,
): Seat | undefined {
  const given = seatGiven(configurable)
  if (state._fileOperations === undefined || given === undefined) return undefined
  given.workspace.adopt(state._fileOperations, given.owner, state.files ?? NO_FILES)
  return given
}

/** The seat that a sub-agent was given, for a hook that does not see the private part of its state. */
export function seatGiven(configurable: Readonly<Record<string, unknown>> | undefined): Seat | undefined {
  const given = configurable?.[SEAT_KEY]
  return isSeat(given) ? given : undefined
}

interface StepWorkspace {
  readonly step: unknown
  /** The state's files at its start. */
  readonly files: Files
  readonly workspace: Promise<Workspace>
}

const steps = new WeakMap<object, Map<string, StepWorkspace>>()

/**
 * The workspace of the superstep that a tool call of a main agent belongs to. The calls of a superstep get copies of the
 * state (LangGraph copies what it sends), but one `RunControl` is handed to all calls of a run: that is where they meet.
 */
function workspaceOfStep(runtime: AgentRuntime, files: Files, backend?: FileBackend): Promise<Workspace> {
  const control: unknown = 'control' in runtime ? runtime.control : undefined
  if (typeof control !== 'object' || control === null) return openWorkspace(files, backend)
  const { langgraph_step: step, langgraph_checkpoint_ns: namespace, thread_id } = runtime.metadata ?? {}
  const agent = `${String(thread_id)} ${String(namespace).split('|').slice(0, -1).join('|')}`
  let agents = steps.get(control)
  if (agents === undefined) steps.set(control, (agents = new Map()))
  const known = agents.get(agent)
  if (known !== undefined && known.step === step && isSame(known.files, files)) return known.workspace
  const workspace = openWorkspace(files, backend)
  agents.set(agent, { step, files, workspace })
  return workspace
}

async function openWorkspace(files: Files, backend: FileBackend | undefined): Promise<Workspace> {
  if (backend === undefined) return createWorkspace(files)
  return createWorkspace({ ...files, ...(await backend.load()) }, backend)
}

function isSame(left: Files, right: Files): boolean {
  const names = Object.keys(left)
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
}

function isSeat(value: unknown): value is Seat {
  return typeof value === 'object' && value !== null && seats.has(value)
}
