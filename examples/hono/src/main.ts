import { serve } from '@hono/node-server'
import { app, skein } from './app.ts'

const server = serve({ fetch: app.fetch, port: 3000, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/skein/`),
)
process.once('SIGTERM', () => {
  server.close()
  void skein.close().then(() => process.exit(0))
})
