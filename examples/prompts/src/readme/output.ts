import { createSession, definePrompt, LangGraphAdapter, section, slice } from '@clewline/prompts'
import { z } from 'zod'

const Person = z.object({ name: z.string(), born: z.number().optional() })
const People = slice('people', Person)

const extract = definePrompt({
  ns: 'demo',
  key: 'people',
  sections: [
    section({
      key: 'text',
      title: 'Text',
      template: 'List the people in this text.\n\n{{text}}',
      params: z.object({ text: z.string() }),
    }),
  ],
  output: Person,
  container: 'array',
})

const session = createSession({ slices: [People] }) // has the schema of the output, so it collects it
const adapter = new LangGraphAdapter({ model: 'openai:gpt-5-mini', outputStrategy: 'provider' })
const response = await adapter.evaluate(extract.bind({ text: 'Ada (1815) wrote to Charles.' }), { session })
if (response.status === 'completed') for (const { name, born } of response.output) console.log(name, born)
console.log(session.query(People).all().length)
