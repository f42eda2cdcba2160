import { serve } from '@hono/node-server'
import { app, clewline } from './app.ts'

const server = serve({ fetch: app.fetch, port: 3000, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/clewline/`),
)
process.once('SIGTERM', () => {
  server.close()
  void clewline.close().then(() => process.exit(0))
})
