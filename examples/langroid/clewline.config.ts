import { startExampleAgents } from '@clewline/example-langroid'
import { defineConfig } from '@clewline/server'

// The same agents in the server: durable, in the studio, over AG-UI at /agui/<feature>. `--model gpt-4o-mini` asks a
// real one, with OPENAI_API_KEY.
export default defineConfig(async ({ model }) => {
  const apiKey = process.env['OPENAI_API_KEY']
  const real = model === undefined ? {} : { model: model.replace(/^openai:/, '') }
  const { agents } = await startExampleAgents({ ...real, ...(apiKey === undefined ? {} : { apiKey }) })
  return { agents, info: { name: 'Langroid examples', scripted: model === undefined } }
})
