import { coerce, isRecord, type JsonObject } from '@clewline/core'
import type { RunRequest } from '@clewline/core/source'
import type { FromGraphOptions } from './from-graph.ts'
import type { Depends } from './observe/begin-call.ts'

/** The key of `config.configurable` under which a run's frontend tools reach the graph. */
export const FRONTEND_TOOLS = 'clewline_frontend_tools'

/**
 * LangGraph's key for the durability of a graph whose config names none, and of all graphs inside it. Its default, `async`, has
 * no backpressure: on a store that is slower than the steps the states fall behind, and a crash repeats all that they lack.
 * With `sync` a step begins when the state before it is saved, so that a crash repeats at most the steps that ran.
 */
const DURABILITY = '__pregel_durability'

/** What observes a run, and where it is saved. */
export interface RunHooks {
  readonly observer: object
  readonly writer: (value: unknown) => Promise<void>
  /** `thread_id` and the checkpointer, as `configurable` has them. */
  readonly thread: object
  readonly control: object
  readonly signal: AbortSignal
}

/** LangGraph's config for one run: the user's own, what the run asks for, and the hooks that observe it. */
export function runConfig(
  own: NonNullable<FromGraphOptions['config']>,
  request: RunRequest,
  { observer, writer, thread, control, signal }: RunHooks,
): object {
  const { recursion_limit, checkpoint_id, configurable, tags } = request.config ?? {}
  const context = contextOf(own, configurable)
  return {
    ...own,
    ...(recursion_limit !== undefined && { recursionLimit: recursion_limit }),
    ...(tags !== undefined && { tags: [...(own.tags ?? []), ...tags] }),
    ...(context !== undefined && { context }),
    callbacks: withObserver(own.callbacks, observer),
    configurable: {
      ...configurable,
      // After the client's, which must not change what the server has set: a tenant, a role.
      ...own.configurable,
      ...authOf(request.user),
      ...thread,
      [DURABILITY]: 'sync',
      // Where LangGraph's getWriter() looks inside a tool that calls a graph without passing its config on.
      writer,
      ...(request.tools !== undefined && { [FRONTEND_TOOLS]: request.tools }),
      ...(checkpoint_id !== undefined && { checkpoint_id }),
    },
    writer,
    control,
    signal,
    streamMode: ['updates'],
    subgraphs: true,
  }
}

/** What the record says of a run's settings: what its caller asked for and what every run is given, never the hooks. */
export function dependsOn(options: FromGraphOptions, request: RunRequest, name: string): Depends {
  const { recursion_limit, checkpoint_id, configurable, tags } = request.config ?? {}
  const limit = recursion_limit ?? options.config?.recursionLimit
  const asked = {
    ...(limit !== undefined && { recursion_limit: limit }),
    ...(checkpoint_id !== undefined && { checkpoint_id }),
    ...(tags !== undefined && tags.length > 0 && { tags }),
    ...(configurable !== undefined && Object.keys(configurable).length > 0 && { configurable }),
  }
  const context = contextOf(options.config ?? {}, configurable)
  return {
    ...(Object.keys(asked).length > 0 && { config: asked }),
    ...(context !== undefined && { context: coerce(context) }),
    code: { name, ...(options.version !== undefined && { version: options.version }) },
  }
}

/** The context that the graph is given: the client's, over which the server's own wins. */
function contextOf(
  own: NonNullable<FromGraphOptions['config']>,
  configurable: JsonObject | undefined,
): object | undefined {
  const ours = isRecord(own['context']) ? own['context'] : undefined
  if (configurable === undefined || Object.keys(configurable).length === 0) return ours
  return { ...configurable, ...ours }
}

/** The user under the keys of LangGraph's own server, so that graphs and tools that ask for them run here unchanged. */
function authOf(user: RunRequest['user']): object {
  if (user === undefined) return {}
  return {
    langgraph_auth_user: user,
    langgraph_auth_user_id: user.identity,
    langgraph_auth_permissions: user.permissions,
  }
}

/** Adds a handler to a list of callbacks, or to a copy of a callback manager. */
function withObserver(callbacks: unknown, observer: object): unknown {
  if (callbacks === undefined) return [observer]
  if (Array.isArray(callbacks)) return [...callbacks, observer]
  if (isRecord(callbacks) && typeof callbacks['copy'] === 'function') {
    const copy: unknown = callbacks['copy']()
    if (isRecord(copy) && typeof copy['addHandler'] === 'function') copy['addHandler'](observer, true)
    return copy
  }
  return callbacks
}
