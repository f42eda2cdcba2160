import { createSession, definePrompt, LangGraphAdapter, ok, section, tool } from '@clewline/prompts'
import { MemorySaver } from '@langchain/langgraph'
import { z } from 'zod'

const send = tool({
  name: 'send_mail',
  description: 'Sends a mail.',
  params: z.object({ to: z.string(), text: z.string() }),
  needsApproval: ({ to }) => !to.endsWith('@example.com'),
  handler: ({ to }) => ok(`Sent to ${to}.`),
})
const mail = definePrompt({
  ns: 'demo',
  key: 'mail',
  sections: [section({ key: 'task', title: 'Task', template: 'Write the mails.', tools: [send] })],
}).bind()

const session = createSession()
const adapter = new LangGraphAdapter({ model: 'openai:gpt-5-mini', checkpointer: new MemorySaver() })
let response = await adapter.evaluate(mail, { session, input: 'Invite ada@example.org to lunch.' })
while (response.status === 'interrupted') {
  const [question] = response.interrupts
  console.log(question?.value) // { type: 'approval', tool: 'send_mail', callId, params }
  const decision = { approve: true } // or { approve: false, reason }, or { approve: true, params } to edit
  response = await adapter.resume(mail, response.resumeToken, decision, { session })
}
console.log(response.text)
