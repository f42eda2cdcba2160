import { Client } from '@langchain/langgraph-sdk'
import { scheduleRuns } from './schedule-runs.ts'

const client = new Client({ apiUrl: process.env['LANGGRAPH_URL'] ?? 'http://127.0.0.1:2024' })
const threadId = process.env['THREAD'] ?? '00000000-0000-4000-8000-000000000001'

scheduleRuns({
  client,
  schedule: '* * * * *',
  threadId,
  assistantId: process.env['GRAPH'] ?? 'agent',
  input: () => ({ messages: [{ role: 'user', content: `What changed since ${new Date().toISOString()}?` }] }),
  onError: (error) => process.stderr.write(`${String(error)}\n`),
})
process.stdout.write(`Every minute on thread ${threadId}. Open it in examples/copilotkit to watch.\n`)
