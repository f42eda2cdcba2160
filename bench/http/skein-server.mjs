import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSkein, serve } from '@skein/server'
import { graph } from './graph.mjs'

const store = mkdtempSync(join(tmpdir(), 'skein-bench-'))
const skein = await createSkein({ agents: { bench: graph }, store, studio: false })
const { url } = await serve(skein, { port: 0 })
process.on('exit', () => rmSync(store, { recursive: true, force: true }))
process.on('SIGTERM', () => process.exit(0))
process.on('message', (message) => {
  if (message === 'gc') globalThis.gc?.()
  process.send({ cpu: process.cpuUsage(), memory: process.memoryUsage() })
})
process.send({ url })
