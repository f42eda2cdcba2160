import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import {
  action,
  append,
  createSession,
  definePrompt,
  LangGraphAdapter,
  ok,
  section,
  slice,
  tool,
} from '@clewline/prompts'
import type { GraphBuilder, ResumeToken, Session } from '@clewline/prompts'
import { sessionCheckpointer } from '@clewline/prompts/langgraph'
import { z } from 'zod'

const Mail = z.object({ to: z.email(), subject: z.string() })
const Sent = slice('Sent', Mail)
const MailSent = action('MailSent', Mail)

const sendMail = tool({
  name: 'send_mail',
  description: 'Sends a mail.',
  params: Mail,
  needsApproval: true,
  handler(mail, { session }) {
    session.dispatch(MailSent(mail))
    return ok(null, `Sent to ${mail.to}.`)
  },
})

export const approvalPrompt = definePrompt({
  ns: 'examples',
  key: 'approval',
  name: 'approval',
  sections: [
    section({ key: 'task', title: 'Task', template: 'Do what the user asks for.', tools: [sendMail] }),
  ],
})

const newSession = (): Session => createSession().register(Sent, MailSent, append)

/** The graph is ours: a model, its tools, and nothing else. Deadline, budget and approval work in it too. */
const graph: GraphBuilder = (tools, { model, checkpointer }) =>
  new StateGraph(MessagesAnnotation)
    .addNode('think', async ({ messages }) => ({
      messages: [await model.bindTools?.(tools).invoke(messages)],
    }))
    .addNode('tools', new ToolNode(tools))
    .addEdge('__start__', 'think')
    .addConditionalEdges('think', toolsCondition, ['tools', '__end__'])
    .addEdge('tools', 'think')
    .compile(checkpointer === undefined ? {} : { checkpointer })

export interface Outcome {
  readonly answer: string
  readonly sent: readonly z.infer<typeof Mail>[]
}

/**
 * Pauses before a mail is sent. What is needed to go on is one piece of JSON: here it is read by a second session
 * and a second adapter, as another process would, hours later.
 */
export async function approval(
  model: string | BaseChatModel,
  request: string,
  decide: (question: unknown) => boolean | Promise<boolean>,
): Promise<Outcome> {
  const prompt = approvalPrompt.bind()
  let session = newSession()
  let adapter = new LangGraphAdapter({ model, graph, checkpointer: await sessionCheckpointer(session) })
  let response = await adapter.evaluate(prompt, { session, input: request })

  while (response.status === 'interrupted') {
    const stored = JSON.stringify({ token: response.resumeToken, state: session.snapshot() })
    const approve = await decide(response.interrupts[0]?.value)

    const { token, state }: { token: ResumeToken; state: object } = JSON.parse(stored)
    session = newSession()
    const checkpointer = await sessionCheckpointer(session)
    session.restore(JSON.stringify(state))
    adapter = new LangGraphAdapter({ model, graph, checkpointer })
    response = await adapter.resume(prompt, token, { approve, reason: 'The user said no.' }, { session })
  }
  return { answer: response.text ?? '', sent: session.query(Sent).all() }
}
