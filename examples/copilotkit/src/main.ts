import { serve } from '@hono/node-server'
import { fileURLToPath } from 'node:url'
import { createApp } from './create-app.ts'

const langGraphUrl = process.env['LANGGRAPH_URL'] ?? 'http://127.0.0.1:2024'
const graphs = (process.env['GRAPHS'] ?? 'agent').split(',')
const page = fileURLToPath(new URL('../page-dist', import.meta.url))

serve({ fetch: createApp({ langGraphUrl, graphs, page }), port: 3000, hostname: '127.0.0.1' }, () => {
  process.stdout.write(`http://127.0.0.1:3000/?agent=${graphs[0]} on ${langGraphUrl}\n`)
})
