import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'

const stateSchema = z.object({
  values: z.object({
    files: z.record(z.string(), z.string()),
    todos: z.array(z.object({ status: z.string() })),
  }),
  next: z.array(z.string()),
})

let server: ChildProcess
let directory: string
let host: string

// A LangGraph server of its own, as `langgraphjs dev` starts it: with tsx, because graphs are TypeScript.
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'research-'))
  const graph = fileURLToPath(new URL('./graph.ts', import.meta.url))
  const script = `
    import { startServer } from '@langchain/langgraph-api/server'
    const { host } = await startServer({ port: 0, nWorkers: 2, host: '127.0.0.1', cwd: ${JSON.stringify(directory)},
      graphs: { research: ${JSON.stringify(`${graph}:graph`)} } })
    console.log('listening ' + host)`
  const api = createRequire(createRequire(import.meta.url).resolve('@langchain/langgraph-api/package.json'))
  const loader = pathToFileURL(api.resolve('tsx')).href
  server = spawn(
    process.execPath,
    ['--conditions=source', '--import', loader, '--input-type=module', '-e', script],
    {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { ...process.env, NODE_OPTIONS: '', RESEARCH_PACE_MS: '0', TAVILY_API_KEY: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  if (server.stdout === null) throw new Error('no output')
  for await (const line of createInterface({ input: server.stdout })) {
    const found = /listening (\S+)/.exec(line)?.[1]
    if (found === undefined) continue
    host = found
    break
  }
})

afterAll(async () => {
  server.kill()
  await once(server, 'exit')
  await rm(directory, { recursive: true })
})

async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`http://${host}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return response.json()
}

it('runs in a LangGraph server, pauses there for approval, and goes on', async () => {
  const { thread_id } = z.object({ thread_id: z.string() }).parse(await ask('POST', '/threads', {}))
  const input = { messages: [{ role: 'user', content: 'How do heat pumps work in cold climates?' }] }
  await ask('POST', `/threads/${thread_id}/runs/wait`, { assistant_id: 'research', input })
  const paused = stateSchema.parse(await ask('GET', `/threads/${thread_id}/state`))
  expect(paused.next).not.toEqual([])
  expect(paused.values.files['final_report.md']).toContain('heat pumps')

  const command = { resume: { decisions: [{ type: 'approve' }] } }
  await ask('POST', `/threads/${thread_id}/runs/wait`, { assistant_id: 'research', command })
  const done = stateSchema.parse(await ask('GET', `/threads/${thread_id}/state`))
  expect(done.next).toEqual([])
  expect(done.values.todos.map((todo) => todo.status)).toEqual(Array.from({ length: 5 }, () => 'completed'))
})
