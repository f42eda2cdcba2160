import { createSession, definePrompt, LangGraphAdapter, section, tool } from '@clewline/prompts'

const refund = tool({ name: 'refund', description: 'Pays back.', handler: () => 'Paid back.' })

const support = definePrompt({
  ns: 'demo',
  key: 'support',
  sections: [
    section({ key: 'task', title: 'Task', template: 'Help the customer.' }),
    section({
      key: 'refunds',
      title: 'Refunds',
      template: 'Within thirty days, with the tool.',
      summary: 'How to pay back.',
      visibility: 'summary',
      tools: [refund], // not offered before the model calls open_sections
    }),
    section({
      key: 'history',
      title: 'History of the company',
      template: 'Founded in 1912 …',
      summary: 'Where we come from.',
      visibility: 'summary', // without tools: the model reads it with read_section
    }),
  ],
}).bind()

console.log(support.render().tools.map(({ name }) => name))
console.log(support.render({ visibility: { refunds: 'full' } }).tools.map(({ name }) => name))

const adapter = new LangGraphAdapter({ model: 'openai:gpt-5-mini', disclosure: 'inline' })
const response = await adapter.evaluate(support, { session: createSession(), input: 'I want my money back.' })
if (response.status === 'completed') console.log(response.text)
