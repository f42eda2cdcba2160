import type { Entry } from '@clewline/core'
import type { Threads } from '../threads.ts'
import { createTranslator } from '../translate/create-translator.ts'
import type { Translator } from '../translate/create-translator.ts'
import { initialState } from '../translate/translator-state.ts'
import type { TranslatorOptions } from '../translate/translator-state.ts'

/** A translator for the run after these entries: it knows the calls that are open and the tool calls that were shown. */
export function translatorAt(entries: readonly Entry[], options: TranslatorOptions): Translator {
  const past = createTranslator(options)
  for (const { envelope } of entries) past.push(envelope)
  past.end({ status: 'interrupted' })
  const { trace, calls, toolCalls, streaming } = past.state()
  return createTranslator(options, { ...initialState(options), trace, calls, toolCalls, streaming })
}

/** The entries of a thread after `after`, as far as they are there. */
export async function entriesAfter(
  threads: Threads,
  thread_id: string,
  after: number,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const found: Entry[] = []
  for await (const entries of threads.read(thread_id, { after, follow: false, signal }))
    found.push(...entries)
  return found
}
