import {
  createSession,
  definePrompt,
  LangGraphAdapter,
  readBeforeWrite,
  section,
  tool,
  toolOrder,
} from '@clewline/prompts'
import { z } from 'zod'

const files = new Map([['notes.md', 'Buy milk.']])
const path = z.string()
const read = tool({
  name: 'read',
  description: 'Reads a file.',
  params: z.object({ path }),
  handler: (params) => files.get(params.path) ?? 'There is no such file.',
})
const write = tool({
  name: 'write',
  description: 'Writes a file.',
  params: z.object({ path, text: z.string() }),
  handler: (params) => void files.set(params.path, params.text),
})
const publish = tool({ name: 'publish', description: 'Publishes all files.', handler: () => 'Published.' })

const editor = definePrompt({
  ns: 'demo',
  key: 'editor',
  sections: [
    section({ key: 'task', title: 'Task', template: 'Edit the files.', tools: [read, write, publish] }),
  ],
  policies: [
    readBeforeWrite({ read: ['read'], write: ['write'], exists: (name) => files.has(name) }),
    toolOrder({ publish: ['write'] }),
  ],
  // Asked about each answer that the model takes for its last; what it returns is sent to the model.
  completion: () => (files.get('notes.md')?.includes('eggs') ? undefined : 'The eggs are missing.'),
}).bind()

const session = createSession()
session.bus.on('ToolInvoked', ({ name, rendered }) => console.log(`${name}: ${rendered}`))
const adapter = new LangGraphAdapter({ model: 'openai:gpt-5-mini' })
await adapter.evaluate(editor, { session, input: 'Add eggs to notes.md.' })
