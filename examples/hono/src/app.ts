import type { HttpBindings } from '@hono/node-server'
import { createSkein } from '@skein/server'
import { Hono } from 'hono'
import { agent } from './agent.ts'

export const skein = await createSkein({
  agents: { hello: agent },
  basePath: '/skein',
  store: process.env['SKEIN_STORE'] ?? '.skein',
})

export const app = new Hono<{ Bindings: HttpBindings }>()
  .get('/', (c) => c.text('Your app. The agents are under /skein.'))
  // The second argument lets event streams write straight to Node's response, which is twice as fast.
  .all('/skein/*', (c) => skein.fetch(c.req.raw, c.env))
