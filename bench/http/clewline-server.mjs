import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClewline, serve } from '@clewline/server'
import { graph } from './graph.mjs'

const store = mkdtempSync(join(tmpdir(), 'clewline-bench-'))
const clewline = await createClewline({ agents: { bench: graph }, store, studio: false })
const { url } = await serve(clewline, { port: 0 })
process.on('exit', () => rmSync(store, { recursive: true, force: true }))
process.on('SIGTERM', () => process.exit(0))
process.on('message', (message) => {
  if (message === 'gc') globalThis.gc?.()
  process.send({ cpu: process.cpuUsage(), memory: process.memoryUsage() })
})
process.send({ url })
