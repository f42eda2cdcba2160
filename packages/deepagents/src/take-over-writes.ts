import { Command, isCommand } from '@langchain/langgraph'
import type { AgentMiddleware, JumpToTarget } from 'langchain'
import { seatGiven, type Seat } from './agent-runtime.ts'
import { changesOf } from './change-file.ts'
import type { FileChange, FileOperation } from './file-operation.ts'
import { refuseFilesUpdate } from './files-reducer.ts'

/**
 * The same middleware, whose writes to `files` in a sub-agent become operations of that sub-agent: its own tools see
 * them, and they go back to its caller.
 */
export function takeOverHookWrites(middleware: AgentMiddleware): AgentMiddleware {
  const { beforeAgent, beforeModel, afterModel, afterAgent, wrapModelCall } = middleware
  return {
    ...middleware,
    ...(beforeAgent !== undefined && { beforeAgent: ofHook(beforeAgent) }),
    ...(beforeModel !== undefined && { beforeModel: ofHook(beforeModel) }),
    ...(afterModel !== undefined && { afterModel: ofHook(afterModel) }),
    ...(afterAgent !== undefined && { afterAgent: ofHook(afterAgent) }),
    ...(wrapModelCall !== undefined && { wrapModelCall: ofModelCall(wrapModelCall) }),
  }
}

type Contents = Readonly<Record<string, string | null>>

interface HookRuntime {
  readonly configurable?: Readonly<Record<string, unknown>>
}
type HookFunction<S, R extends HookRuntime, T> = (state: S, runtime: R) => T | Promise<T>

interface JumpingHook<S, R extends HookRuntime, T> {
  hook: HookFunction<S, R, T>
  canJumpTo?: JumpToTarget[]
}

function ofHook<S, R extends HookRuntime, T>(hook: HookFunction<S, R, T> | JumpingHook<S, R, T>) {
  return typeof hook === 'function' ? watched(hook) : { ...hook, hook: watched(hook.hook) }
}

function watched<S, R extends HookRuntime, T>(hook: HookFunction<S, R, T>) {
  return async (state: S, runtime: R): Promise<T> => {
    const result = await hook(state, runtime)
    const seat = seatGiven(runtime.configurable)
    return seat !== undefined && isUpdate(result) ? await ofUpdate(result, seat, viewOf(state)) : result
  }
}

function ofModelCall(wrap: NonNullable<AgentMiddleware['wrapModelCall']>): typeof wrap {
  return async (request, handler) => {
    const result = await wrap(request, handler)
    const seat = seatGiven(request.runtime.configurable)
    return seat !== undefined && isCommand(result)
      ? takeOverCommand(result, seat, viewOf(request.state))
      : result
  }
}

/** The same for a command that a tool or a middleware answered with. `view` is the sub-agent's own copy of the files. */
export async function takeOverCommand(
  command: Command,
  seat: Seat,
  view: Contents | undefined,
): Promise<Command> {
  const { update, goto, resume, graph } = command
  const pairs = Array.isArray(update) ? update : Object.entries(update ?? {})
  if (!pairs.some(([key]) => key === 'files')) return command
  const taken: [string, unknown][] = []
  for (const [key, value] of pairs) {
    if (key !== 'files') taken.push([key, value])
    else taken.push(...Object.entries(await ofUpdate({ files: value }, seat, view)))
  }
  return new Command({
    update: taken,
    ...(goto !== undefined && { goto }),
    ...(resume !== undefined && { resume }),
    ...(graph !== undefined && { graph }),
  })
}

/** What cannot be taken is left for the channel to refuse; operations come from the built-in tools and are committed. */
async function ofUpdate<T extends object>(
  update: T & { files?: unknown },
  seat: Seat,
  view: Contents = {},
): Promise<T> {
  const { files } = update
  if (!isContents(files) || refuseFilesUpdate(files) !== undefined) return update
  const operations: FileOperation[] = []
  for (const [name, content] of Object.entries(files)) {
    // A hook may hand back all the files that it was given.
    if ((view[name] ?? null) === content) continue
    const change: FileChange = content === null ? { op: 'delete', name } : { op: 'write', name, content }
    const operation = seat.workspace.commit(change, seat.owner)
    if (operation !== undefined && (await seat.workspace.save(operation))) operations.push(operation)
  }
  return { ...update, ...changesOf(seat, operations, new Set(operations.map(({ name }) => name))) }
}

function isUpdate<T>(value: T): value is T & object {
  return typeof value === 'object' && value !== null
}

function isContents(value: unknown): value is Contents {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function viewOf(state: unknown): Contents | undefined {
  const files = typeof state === 'object' && state !== null && 'files' in state ? state.files : undefined
  return isContents(files) ? files : undefined
}
