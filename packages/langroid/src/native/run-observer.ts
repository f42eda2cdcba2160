import type { BackendCall, BackendEvent, BackendRequest, CallPlace } from '../backend.ts'
import type { ChatAgent, ToolObserver } from './chat-agent.ts'
import type { ToolUse } from './chat-document.ts'
import { InfiniteLoopError } from './cycle-detector.ts'
import { LanguageModelError } from './language-model.ts'
import type { TurnObserver } from './model-turn.ts'

export type Emit = (event: BackendEvent) => void | Promise<void>

/** Turns what an agent does into backend events, and counts its model calls. */
export interface RunObserver {
  readonly turnsOf: (agent: ChatAgent) => TurnObserver
  readonly onTool: ToolObserver
  readonly placeOf: (agent: ChatAgent, name: string) => CallPlace
}

/** A run asked the model as often as it may. */
class MaxTurnsError extends Error {}

/** `isHandled`: whether another agent that takes part handles a tool. */
export function runObserver(
  request: BackendRequest,
  emit: Emit,
  isHandled: (name: string) => boolean = () => false,
): RunObserver {
  const frontend = new Set(request.tools.map((tool) => tool.name))
  let turns = 0

  function placeOf(agent: ChatAgent, name: string): CallPlace {
    if (agent.toolsHandled.has(name)) return 'backend'
    if (frontend.has(name)) return 'frontend'
    return isHandled(name) ? 'backend' : 'unknown'
  }

  function callOf(agent: ChatAgent, use: ToolUse, index: number): BackendCall {
    return {
      index,
      id: use.id,
      name: use.name,
      args: use.args,
      via: use.via === 'api' ? 'api' : 'text',
      place: placeOf(agent, use.name),
    }
  }

  return {
    placeOf,
    turnsOf(agent) {
      let turn = 0
      return (event) => {
        switch (event.type) {
          case 'start':
            if (turns >= request.limits.max_turns) throw new MaxTurnsError()
            turn = turns++
            return emit({ ev: 'llm_start', turn, model: event.model, agent: agent.name, ...event.question })
          case 'text':
          case 'reasoning':
            return emit({ ev: event.type, turn, delta: event.delta })
          case 'tool_name': {
            const { index, id, name } = event
            return emit({ ev: 'tool_name', turn, index, id, name, place: placeOf(agent, name) })
          }
          case 'tool_args':
            return emit({ ev: 'tool_args', turn, index: event.index, delta: event.delta })
          case 'end': {
            const { text, usage, finish_reason } = event
            const tool_calls = event.tools.map((use, index) => callOf(agent, use, index))
            return emit({ ev: 'llm_end', turn, content: text, tool_calls, usage, finish_reason })
          }
        }
      }
    },
    onTool(use, event) {
      switch (event.type) {
        case 'start':
          return emit({ ev: 'tool_start', id: use.id })
        case 'update': {
          const { type: _type, ...update } = event
          return emit({ ev: 'tool_update', id: use.id, ...update })
        }
        case 'result':
          return emit({ ev: 'tool_result', id: use.id, content: event.content, error: event.error })
      }
    },
  }
}

/** The last event of a run that threw. */
export function endOfFailure(error: unknown, signal: AbortSignal): BackendEvent {
  if (signal.aborted) return { ev: 'done', reason: 'cancelled', pending: [] }
  if (error instanceof MaxTurnsError) return { ev: 'done', reason: 'max_turns', pending: [] }
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof LanguageModelError) return { ev: 'error', code: 'LLM', type: name, message }
  if (error instanceof InfiniteLoopError) return { ev: 'error', code: 'LOOP', type: name, message }
  return { ev: 'error', code: 'INTERNAL', type: name, message }
}
