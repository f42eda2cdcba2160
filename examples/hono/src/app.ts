import type { HttpBindings } from '@hono/node-server'
import { createClewline } from '@clewline/server'
import { Hono } from 'hono'
import { agent } from './agent.ts'

export const clewline = await createClewline({
  agents: { hello: agent },
  basePath: '/clewline',
  store: process.env['CLEWLINE_STORE'] ?? '.clewline',
})

export const app = new Hono<{ Bindings: HttpBindings }>()
  .get('/', (c) => c.text('Your app. The agents are under /clewline.'))
  // The second argument lets event streams write straight to Node's response, which is twice as fast.
  .all('/clewline/*', (c) => clewline.fetch(c.req.raw, c.env))
