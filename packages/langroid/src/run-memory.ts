import type { Interrupt, Json, JsonObject } from '@clewline/core'
import type { BackendEvent } from './backend.ts'
import { digestOf } from './checkpoint-history.ts'
import { repairHistory, type LLMMessage } from './llm-message.ts'
import type { Ask } from './plan-run.ts'
import type { ThreadRun } from './thread-run.ts'
import type { RunWriter } from './writer/run-writer.ts'

/** What the thread will remember of this run. */
export interface RunMemory {
  readonly messages: readonly LLMMessage[]
  /** What the backend has journaled, earlier attempts of this run included. */
  readonly journal: readonly Json[]
  add(message: LLMMessage): void
  note(event: BackendEvent): void
  /** Saves the thread, and announces the checkpoint if the store keeps one. `going on`: a recovery goes on from here. */
  save(state: JsonObject, progress: 'going on' | 'over'): Promise<void>
  /** Saves the thread as waiting for an answer. Resolves with the checkpoint's id, if the store keeps any. */
  saveQuestion(state: JsonObject, question: Interrupt): Promise<string | undefined>
}

const EXECUTED_KEPT = 1000
const UNANSWERED = 'No result: the run ended before this call was answered.'

export function runMemory(
  { slot, history, context }: Pick<ThreadRun, 'slot' | 'history' | 'context'>,
  plan: Ask,
  writer: RunWriter,
): RunMemory {
  const messages = [...plan.turn.messages]
  const executed = [...slot.record.executed]
  const journal = [...plan.journal]
  const frontend = new Set<string>()
  const remembers = slot.record.memory ?? null
  let memory = remembers

  /** Every call has an answer, but those of the client: it answers them in the next run. */
  function remembered(): readonly LLMMessage[] {
    return repairHistory(messages, UNANSWERED).filter(
      ({ role, content, tool_call_id }) =>
        !(role === 'tool' && content === UNANSWERED && frontend.has(tool_call_id ?? '')),
    )
  }

  /** Back to what the run began with. */
  function forgetRun(): void {
    const { prompt, turn } = plan
    journal.length = 0
    messages.length = turn.history.length + (prompt.kind === 'tool_results' ? prompt.results.length : 1)
  }

  async function keep(state: JsonObject, isOver: boolean, question?: Interrupt): Promise<string | undefined> {
    const { history: begun } = plan.turn
    const replay = { history: begun, prompt: plan.prompt, journal: [...journal], messages: [...messages] }
    slot.record = {
      messages: remembered(),
      shown: [...plan.shown, ...writer.shown],
      state,
      executed: executed.slice(-EXECUTED_KEPT),
      // A run that goes on begins again, with what was remembered when it began.
      memory: isOver ? memory : remembers,
      progress: isOver
        ? null
        : {
            trace_id: context.trace_id,
            turn: writer.turns,
            ...(journal.length > 0 && { replay }),
            ...(question !== undefined && { question }),
          },
    }
    return (await history?.save(context.thread_id, slot.record)) ?? undefined
  }

  return {
    messages,
    journal,
    add: (message) => void messages.push(message),
    note(event) {
      if (event.ev === 'tool_start') executed.push(event.id)
      else if (event.ev === 'journal') journal.push(event.entry)
      else if (event.ev === 'restart') forgetRun()
      else if (event.ev === 'memory') memory = event.memory
      else if (event.ev === 'llm_end') {
        for (const call of event.tool_calls) if (call.place === 'frontend') frontend.add(call.id)
      } else if (event.ev === 'message') {
        const { tool_call_id } = event.message
        const id = tool_call_id === undefined ? writer.messageId : writer.resultId(tool_call_id)
        messages.push({ ...event.message, id })
      } else if (event.ev === 'say') {
        messages.push({ role: 'assistant', content: event.text, id: writer.messageId })
      }
    },
    async save(state, progress) {
      const checkpoint = await keep(state, progress === 'over')
      if (checkpoint !== undefined) await writer.checkpoint(checkpoint, digestOf(slot.record))
    },
    saveQuestion: async (state, question) => await keep(state, false, question),
  }
}
