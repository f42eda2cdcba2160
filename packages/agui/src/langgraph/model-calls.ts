import type { LangGraphAgent } from '@ag-ui/langgraph'
import type { Chunk } from './catch-up.ts'

/** Lets models speak at once without their words being mixed. */
export interface ModelCalls {
  /** To be called before upstream is given a chunk. */
  enter(chunk: Chunk): void
}

/**
 * Upstream has room for one message in progress per run: of two models that speak at once it makes one message with the
 * pieces of both (0.0.43). Here each call has its own, which is put in place before a piece of that call is translated.
 */
export function createModelCalls(agent: LangGraphAgent): ModelCalls {
  const kept = new Map<string, InProgress>()
  let current = ''

  return {
    enter(chunk) {
      const call = modelCallOf(chunk)
      const run = agent.activeRun
      if (call === null || call === current || run === undefined) return
      const { messagesInProcess, reasoningProcess } = agent
      kept.set(current, {
        messagesInProcess,
        reasoningProcess,
        pendingReasoningId: agent['pendingReasoningId'],
        currentTextMessageId: run.currentTextMessageId,
      })
      current = call
      const { currentTextMessageId, ...rest } = kept.get(call) ?? nothing()
      Object.assign(agent, rest)
      Object.assign(run, { currentTextMessageId })
    },
  }
}

interface InProgress {
  readonly messagesInProcess: LangGraphAgent['messagesInProcess']
  readonly reasoningProcess: LangGraphAgent['reasoningProcess']
  readonly pendingReasoningId: string | undefined
  readonly currentTextMessageId: string | undefined
}

function nothing(): InProgress {
  return {
    messagesInProcess: {},
    reasoningProcess: null,
    pendingReasoningId: undefined,
    currentTextMessageId: undefined,
  }
}

/** Which call of a model a chunk is a piece of, if it is one. */
function modelCallOf({ event, data }: Chunk): string | null {
  if (Array.isArray(data)) return event.startsWith('messages') ? textAt(data[0], 'id') : null
  return textAt(data, 'event')?.startsWith('on_chat_model') ? textAt(data, 'run_id') : null
}

function textAt(value: unknown, key: string): string | null {
  const found: unknown =
    typeof value === 'object' && value !== null
      ? Object.getOwnPropertyDescriptor(value, key)?.value
      : undefined
  return typeof found === 'string' ? found : null
}
