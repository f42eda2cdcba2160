import type { Threads } from '../threads.ts'
import { createTranslator } from '../translate/create-translator.ts'
import { initialState } from '../translate/translator-state.ts'
import type { TranslatorOptions, TranslatorState } from '../translate/translator-state.ts'

/** What a translator knows after the log up to `to`, as the start of another run: open calls, and tool calls that were shown. */
export async function recall(
  threads: Threads,
  thread_id: string,
  options: TranslatorOptions,
  range: { readonly after: number; readonly to: number; readonly signal: AbortSignal },
): Promise<TranslatorState> {
  const { after, to, signal } = range
  const past = createTranslator(options)
  for await (const { position, envelope } of threads.read(thread_id, { after, follow: false, signal })) {
    if (position > to) break
    past.push(envelope)
  }
  past.end({ status: 'interrupted' })
  const { trace, calls, toolCalls, streaming } = past.state()
  return { ...initialState(options), trace, calls, toolCalls, streaming }
}
