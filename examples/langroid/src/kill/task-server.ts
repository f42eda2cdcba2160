import { ChatAgent, LangroidAgent, MockLM, orchestration, Task, ToolMessage } from '@clewline/langroid'
import { createClewline, serve } from '@clewline/server'
import { z } from 'zod'

// node … task-server.ts STORE FATAL: a server with a task of two sub-tasks. Its model call number FATAL in this process
// never returns, and is announced on stdout: there the test kills it. 0 lets all of them return.
const [, , store = '', fatal = '0'] = process.argv
const { DoneTool, SendTool } = orchestration
const call = (id: string, name: string, args: Record<string, string>) => ({ toolCalls: [{ id, name, args }] })

/** Answers by how often it has spoken in the conversation it sees: a model knows nothing of processes. */
const scripts: Record<string, (said: number, last: string) => string | ReturnType<typeof call>> = {
  Main: (said, last) =>
    [
      call('m1', 'send_tool', { to: 'Researcher', content: 'find it' }),
      call('m2', 'send_tool', { to: 'Writer', content: `write about ${last}` }),
      call('m3', 'done_tool', { content: `final: ${last}` }),
    ][said] ?? 'too much',
  Researcher: (said, last) =>
    said === 0
      ? call('r1', 'look', { where: 'shelf' })
      : call('r2', 'done_tool', { content: `found ${last}` }),
  Writer: (said, last) => (said === 0 ? 'Which length?' : `DONE a ${last} text`),
}

const Look = ToolMessage({
  request: 'look',
  purpose: 'To look.',
  fields: z.object({ where: z.string() }),
  handle: ({ where }) => `a clew on the ${where}`,
})

let asked = 0
function agentOf(name: string, tools: readonly ToolMessage[]): ChatAgent {
  const model = MockLM({
    respond: async (text, { messages }) => {
      if (++asked === Number(fatal)) {
        process.stdout.write('asked\n')
        await new Promise(() => {})
      }
      const said = messages.filter((message) => message.role === 'assistant').length
      return scripts[name]?.(said, text) ?? 'nothing'
    },
  })
  return ChatAgent({ name, model, tools })
}

const researcher = Task(agentOf('Researcher', [Look, DoneTool]))
const writer = Task(agentOf('Writer', []), { interactive: true })
const main = Task(agentOf('Main', [SendTool, DoneTool]), { subTasks: [researcher, writer] })
const clewline = await createClewline({
  agents: { task: LangroidAgent(main, { name: 'task' }) },
  store,
  studio: false,
  maxCrashes: 50,
  leaseMs: 1_500,
})
const { url } = await serve(clewline, { port: 0 })
process.stdout.write(`${url}\n`)
process.once('SIGTERM', () => {
  void clewline.close().then(() => process.exit(0))
})
