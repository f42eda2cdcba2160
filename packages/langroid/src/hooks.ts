import { coerce, isRecord, type Json, type JsonObject } from '@clewline/core'
import type { BackendCall, BackendEvent } from './backend.ts'
import {
  maybeAwait,
  type LangroidAgentConfig,
  type LangroidRunInput,
  type ToolCallContext,
  type ToolResultContext,
} from './config.ts'
import type { RunWriter } from './writer/run-writer.ts'

/** The user's hooks during one run, and the shared state that they change. */
export interface Hooks {
  readonly state: JsonObject
  /** Calls the hooks that this event is for. `isPast`: replayed, so that they were called before. */
  observe(event: BackendEvent, isPast?: boolean): Promise<void>
  /** Words for the results of this turn; null when the model shall find them. */
  response(): Promise<string | null>
}

export function createHooks(options: {
  readonly config: LangroidAgentConfig
  readonly input: LangroidRunInput
  readonly writer: RunWriter
  readonly state: JsonObject
}): Hooks {
  const { config, input, writer } = options
  let state = options.state
  const calls = new Map<string, BackendCall>()
  let results: ToolResultContext[] = []

  /** Isolates failures: a hook that throws is a warning, and the run goes on. */
  async function isolated<T>(tool: string, hook: string, call: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await maybeAwait(call())
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      await writer.warn('hook-failed', `${hook} of "${tool}" failed: ${words}`)
      return undefined
    }
  }

  async function setState(delta: JsonObject): Promise<void> {
    const clean = coerce(delta)
    if (!isRecord(clean) || Object.keys(clean).length === 0) return
    state = { ...state, ...clean }
    await writer.state(clean)
  }

  const contextOf = (call: BackendCall): ToolCallContext => ({
    input,
    toolName: call.name,
    toolCallId: call.id,
    args: call.args,
    state,
  })

  async function afterCall(call: BackendCall): Promise<void> {
    const hook = config.toolBehaviors?.[call.name]?.stateFromArgs
    if (hook === undefined) return
    const delta = await isolated(call.name, 'stateFromArgs', () => hook(contextOf(call)))
    if (delta) await setState(delta)
  }

  async function afterResult(call: BackendCall, content: string, error: string | null): Promise<void> {
    const context: ToolResultContext = {
      ...contextOf(call),
      result: parsed(content),
      isError: error !== null,
      messageId: writer.resultId(call.id),
    }
    results.push(context)
    const hook = config.toolBehaviors?.[call.name]?.stateFromResult
    if (hook === undefined || context.isError) return
    const delta = await isolated(call.name, 'stateFromResult', () => hook(context))
    if (delta) await setState(delta)
  }

  return {
    get state() {
      return state
    },
    async observe(event, isPast = false) {
      switch (event.ev) {
        case 'llm_start':
          // The model is asked again: the results so far are answered by it.
          results = []
          return
        case 'llm_end':
          for (const call of event.tool_calls) {
            calls.set(call.id, call)
            if (call.place !== 'unknown' && !isPast) await afterCall(call)
          }
          return
        case 'tool_update':
          if (event.state !== undefined && !isPast) await setState(event.state)
          return
        case 'tool_result': {
          const call = calls.get(event.id)
          if (call !== undefined && !isPast) await afterResult(call, event.content, event.error)
          return
        }
        case 'text':
        case 'reasoning':
        case 'tool_name':
        case 'tool_args':
        case 'tool_start':
        case 'step':
        case 'inner_call':
        case 'message':
        case 'say':
        case 'journal':
        case 'live':
        case 'restart':
        case 'memory':
        case 'question':
        case 'warning':
        case 'done':
        case 'error':
          return
      }
    },
    async response() {
      const parts: string[] = []
      for (const context of results) {
        const hook = config.toolBehaviors?.[context.toolName]?.responseFromResult
        if (hook === undefined) continue
        if (context.isError) return null
        const text = await isolated(context.toolName, 'responseFromResult', () => hook(context))
        if (typeof text !== 'string') return null
        parts.push(text)
      }
      return parts.length === 0 ? null : parts.join('\n\n')
    },
  }
}

function parsed(content: string): Json {
  try {
    return coerce(JSON.parse(content))
  } catch {
    return content
  }
}
