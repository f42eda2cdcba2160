import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { createSession, definePrompt, LangGraphAdapter, section, slice } from '@clewline/prompts'
import type { LangGraphAdapterOptions } from '@clewline/prompts'
import { z } from 'zod'

const Person = z.object({
  name: z.string(),
  born: z.number().int().nullable(),
  roles: z.array(z.string()).default([]),
})

/** A list of people: `response.output` is typed, and validated by the schema itself. */
export const extractionPrompt = definePrompt({
  ns: 'examples',
  key: 'extraction',
  name: 'extraction',
  output: Person,
  container: 'array',
  sections: [
    section({
      key: 'task',
      title: 'Task',
      template: 'List the people that this text names.\n\n{{text}}',
      params: z.object({ text: z.string() }),
    }),
    section({
      key: 'rules',
      title: 'Rules',
      template: 'Leave the year of birth null when the text does not give it.',
    }),
  ],
})

/** What was found stays in the session, one value for each person. */
const People = slice('People', Person)

export async function extraction(
  model: string | BaseChatModel,
  text: string,
  outputStrategy?: LangGraphAdapterOptions['outputStrategy'],
): Promise<readonly z.infer<typeof Person>[]> {
  const adapter = new LangGraphAdapter({ model, outputStrategy })
  const session = createSession({ slices: [People] })
  await adapter.evaluate(extractionPrompt.bind({ text }), { session, budget: { maxModelCalls: 3 } })
  return session.query(People).all()
}
