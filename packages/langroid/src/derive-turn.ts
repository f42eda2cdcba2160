import type { BackendInput } from './backend.ts'
import { repairHistory, type LLMMessage } from './llm-message.ts'

/** What a run has to do, derived from what the thread knows and what the client sent. */
export interface Turn {
  /** The thread's messages before the input, as the backend needs them. */
  readonly history: readonly LLMMessage[]
  readonly input: BackendInput
  /** `history` and the messages of `input`, as the thread must remember them. */
  readonly messages: readonly LLMMessage[]
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
}

const UNANSWERED = 'No result: the user did not answer this call.'

/** Joins the client's messages to the known ones: a client that knows the thread wins, so edits are honoured. */
export function joinMessages<M extends { readonly id?: string }>(
  known: readonly M[],
  sent: readonly M[],
): readonly M[] {
  const ids = new Map(known.flatMap((message, i) => (message.id === undefined ? [] : [[message.id, i]])))
  const first = sent[0]?.id === undefined ? undefined : ids.get(sent[0].id)
  if (first !== undefined) return [...known.slice(0, first), ...sent]
  const overlaps = sent.some((message) => message.id !== undefined && ids.has(message.id))
  return overlaps ? sent : [...known, ...sent]
}

/**
 * New tool results answer the calls they name; otherwise the newest user message is asked (again, if it was already
 * answered: that is what a client means by regenerating). A thread without any begins with "Hello".
 */
export function deriveTurn(messages: readonly LLMMessage[], executed: ReadonlySet<string>): Turn {
  const { kept, warnings } = dropStrayResults(messages, executed)
  const results = trailingResults(kept)
  if (results !== undefined) return { ...results, warnings }
  const newest = kept.findLastIndex((message) => message.role === 'user')
  const asked = kept[newest] ?? { role: 'user' as const, content: 'Hello' }
  const history = repairHistory(newest === -1 ? kept : kept.slice(0, newest), UNANSWERED)
  return {
    history,
    input: { kind: 'user', text: asked.content ?? '' },
    messages: [...history, asked],
    warnings,
  }
}

function trailingResults(messages: readonly LLMMessage[]): Omit<Turn, 'warnings'> | undefined {
  const asking = messages.findLastIndex((message) => message.role !== 'tool')
  const answers = messages.slice(asking + 1)
  const calls = messages[asking]?.tool_calls ?? []
  if (answers.length === 0 || calls.length === 0) return undefined
  const byId = new Map(answers.map((message) => [message.tool_call_id, message]))
  const complete = calls.map(
    (call): LLMMessage => byId.get(call.id) ?? { role: 'tool', tool_call_id: call.id, content: UNANSWERED },
  )
  const history = [...repairHistory(messages.slice(0, asking), UNANSWERED), messages[asking]!]
  return {
    history,
    input: {
      kind: 'tool_results',
      results: complete.map((message) => ({
        id: message.tool_call_id ?? '',
        content: message.content ?? '',
      })),
    },
    messages: [...history, ...complete],
  }
}

function dropStrayResults(
  messages: readonly LLMMessage[],
  executed: ReadonlySet<string>,
): { kept: readonly LLMMessage[]; warnings: Turn['warnings'] } {
  const asked = new Set<string>()
  const answered = new Set<string>()
  const warnings: { code: string; message: string }[] = []
  const kept = messages.filter((message) => {
    for (const call of message.tool_calls ?? []) asked.add(call.id)
    if (message.role !== 'tool' || message.tool_call_id === undefined) return true
    const id = message.tool_call_id
    if (!asked.has(id)) {
      warnings.push({ code: 'unknown-tool-result', message: `No call has the id "${id}": result ignored.` })
      return false
    }
    if (answered.has(id)) {
      const why = executed.has(id) ? 'ran on the server' : 'was answered before'
      warnings.push({ code: 'stale-tool-result', message: `The call "${id}" ${why}: result ignored.` })
      return false
    }
    answered.add(id)
    return true
  })
  return { kept, warnings }
}
