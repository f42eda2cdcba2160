import type { LangGraphAgent } from '@ag-ui/langgraph'
import type { Chunk } from './skip-replayed.ts'
import { textAt } from './value-at.ts'

/** Demultiplexes models that stream at the same time, so that their messages are not mixed. */
export interface ModelCalls {
  /** To be called before upstream is given a chunk. */
  enter(chunk: Chunk): void
}

/**
 * Upstream keeps one message in progress per run: two models that stream at the same time become one message with the
 * tokens of both (0.0.43). Here each model call has its own, swapped in before a chunk of that call is translated.
 */
export function createModelCalls(agent: LangGraphAgent): ModelCalls {
  const kept = new Map<string, InProgress>()
  let current = ''

  return {
    enter(chunk) {
      const call = modelCallOf(chunk)
      const run = agent.activeRun
      if (call === undefined || call === current || run === undefined) return
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

/** The model call that a chunk belongs to, if any. */
function modelCallOf({ event, data }: Chunk): string | undefined {
  if (Array.isArray(data)) return event.startsWith('messages') ? textAt(data[0], 'id') : undefined
  return textAt(data, 'event')?.startsWith('on_chat_model') ? textAt(data, 'run_id') : undefined
}
