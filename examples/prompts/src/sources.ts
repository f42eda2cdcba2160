import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { Source } from '@clewline/core/source'
import { LangGraphAdapter } from '@clewline/prompts'
import { fromPrompt } from '@clewline/prompts/source'
import { calculatorPrompt } from './calculator.ts'
import { extractionPrompt } from './extraction.ts'

/** The same prompts as agents of a server: put them into clewline.config.ts, and their runs show in the studio. */
export function sources(model: string | BaseChatModel): Readonly<Record<string, Source>> {
  const adapter = new LangGraphAdapter({ model })
  return {
    // Bound, so that a chat is enough; a template would take its parameters from `input.params`.
    calculator: fromPrompt(adapter, calculatorPrompt.bind({ expression: 'what the user asks for' }), {
      description: 'Calculates, with a budget.',
      budget: { maxTotalTokens: 10_000 },
    }),
    extraction: fromPrompt(adapter, extractionPrompt, {
      description: 'Finds people in a text.',
      deadlineMs: 60_000,
    }),
  }
}
