import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { build } from 'vite'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** Bundles the page, which is plain DOM and the published AG-UI client, and serves it from memory. */
export async function addPage(app: Hono): Promise<void> {
  const built = await build({
    root: fileURLToPath(new URL('../src/page', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    build: { write: false },
  })
  const outputs = Array.isArray(built) ? built : [built]
  for (const output of outputs) {
    if (!('output' in output)) continue
    for (const file of output.output) {
      const content = file.type === 'chunk' ? file.code : file.source
      const type = TYPES[file.fileName.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
      const path = file.fileName === 'index.html' ? '/' : `/${file.fileName}`
      const body = typeof content === 'string' ? content : new Uint8Array(content)
      app.get(path, () => new Response(body, { headers: { 'content-type': type } }))
    }
  }
}
