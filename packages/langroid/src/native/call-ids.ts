import type { LLMMessage } from '../llm-message.ts'

/** The prefix of ids for tools written as text. */
export const TEXT_CALL = 'call_text'

/** Dedupes call ids within a thread: local models number their calls anew in every answer. */
export function callIds(history: () => readonly LLMMessage[]): (wanted: string) => string {
  const issued = new Set<string>()
  let minted = 0
  return (wanted) => {
    const used = new Set(history().flatMap((message) => (message.tool_calls ?? []).map((call) => call.id)))
    const isFree = (id: string): boolean => id !== '' && id !== TEXT_CALL && !used.has(id) && !issued.has(id)
    let id = wanted
    while (!isFree(id)) id = `${wanted === '' ? 'call' : wanted}_${++minted}`
    issued.add(id)
    return id
  }
}
