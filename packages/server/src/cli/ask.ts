import { createInterface } from 'node:readline/promises'
import type { Json } from '@clewline/core'
import type { PendingInterrupt } from '@clewline/core/view'
import type { Io } from './io.ts'
import { actionRequests, questionOf } from './tree/question.ts'
import { clean } from './tree/text.ts'

/** Asks the person at the terminal. Null when they gave no answer (Ctrl-D, Ctrl-C). */
export async function ask(interrupt: PendingInterrupt, io: Io): Promise<Json | null> {
  const reader = createInterface({ input: io.stdin, output: io.stdout })
  // Node 20 leaves a question unanswered for ever when its input is closed.
  const gone = new AbortController()
  for (const name of ['close', 'SIGINT'] as const) reader.once(name, () => gone.abort())
  const requests = actionRequests(interrupt.value).length
  io.stdout.write(`\n${clean(questionOf(interrupt.value))}\n`)
  try {
    const prompt = requests > 0 ? '[a]pprove, [r]eject, or an answer as JSON: ' : 'Your answer: '
    const line = await reader.question(prompt, { signal: AbortSignal.any([io.signal, gone.signal]) })
    return answerOf(line, requests)
  } catch {
    return null
  } finally {
    reader.close()
  }
}

/** JSON if it is, text otherwise; one letter decides on all tool calls that wait. */
export function answerOf(line: string, requests = 0): Json {
  const text = line.trim()
  if (requests > 0 && /^(a|approve|r|reject)$/i.test(text)) {
    const type = text.toLowerCase().startsWith('a') ? 'approve' : 'reject'
    return { decisions: Array.from({ length: requests }, () => ({ type })) }
  }
  try {
    const json: Json = JSON.parse(text)
    return json
  } catch {
    return text
  }
}
