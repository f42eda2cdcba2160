import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HttpAgent } from '@ag-ui/client'
import { verify } from '@clewline/core/check'
import type { Envelope } from '@clewline/core'
import { eachEntry } from '@clewline/core/read'
import { ChatAgent, LangroidAgent, MockLM, PythonAgent, ToolMessage } from '@clewline/langroid'
import { createClewline, loadConfig, serve } from '@clewline/server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

let store: string
beforeEach(async () => {
  store = await mkdtemp(join(tmpdir(), 'clewline-langroid-'))
})
afterEach(() => rm(store, { recursive: true, force: true }))

/** What the model was asked, newest last: the roles and texts without the system message. */
const asked: string[][] = []
let held: Promise<void> = Promise.resolve()

const Look = ToolMessage({
  request: 'look',
  purpose: 'To look something up.',
  fields: z.object({ what: z.string() }),
  handle: async ({ what }) => {
    await held
    return `found ${what}`
  },
})

async function start() {
  const model = MockLM({
    respond: (text, { messages }) => {
      asked.push(messages.slice(1).map((message) => `${message.role}: ${message.content}`))
      return text.startsWith('look ')
        ? { toolCalls: [{ name: 'look', args: { what: text.slice(5) } }] }
        : `I hear "${text}"`
    },
  })
  const agent = LangroidAgent(ChatAgent({ name: 'chat', model, tools: [Look] }))
  const clewline = await createClewline({ agents: { chat: agent }, store, studio: false })
  const serving = await serve(clewline, { port: 0 })
  const call = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(serving.url + path, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    })
    return z.record(z.string(), z.unknown()).parse(await response.json())
  }
  async function envelopes(thread: string): Promise<readonly Envelope[]> {
    const found: Envelope[] = []
    for await (const { envelope } of eachEntry(clewline.log.read(thread, { follow: false })))
      found.push(envelope)
    return found
  }
  async function settled(thread: string): Promise<void> {
    for (;;) {
      const { status } = await call(`/api/threads/${thread}/state`)
      if (status === 'idle') return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const say = async (thread: string, text: string): Promise<void> => {
    const input = { messages: [{ role: 'user', content: text }] }
    await call(`/api/threads/${thread}/runs`, { agent: 'chat', input })
    await settled(thread)
  }
  return { ...serving, call, say, settled, envelopes, clewline }
}

describe('a Langroid agent in the server', () => {
  test('runs from a config file, so that the studio shows it', async () => {
    const config = await loadConfig(fileURLToPath(new URL('../clewline.config.ts', import.meta.url)))
    const clewline = await createClewline({ ...config, store: ':memory:', studio: false })
    await clewline.threads.create({ thread_id: 'w' })
    const { run } = await clewline.runs.create('w', {
      agent: 'backend_tool_rendering',
      input: { messages: [{ role: 'user', content: 'What is the weather in Oslo?' }] },
    })
    const envelopes: Envelope[] = []
    for await (const { envelope } of eachEntry(clewline.log.read('w'))) {
      envelopes.push(envelope)
      if (envelope.type === 'tool_end' && envelope.parent_id === null) break
    }
    expect(verify(envelopes)).toEqual([])
    expect(JSON.stringify(envelopes)).toContain('It is 21 °C and sunny in Oslo.')
    expect(envelopes[0]?.run_id).toBe(run.run_id)
    await clewline.close()
  })

  test('is remembered after a restart, with a log that keeps every rule', async () => {
    const before = await start()
    await before.call('/api/threads', { thread_id: 't' })
    await before.say('t', 'one')
    await before.say('t', 'look two')
    await before.close()
    const after = await start()
    await after.say('t', 'three')
    expect(asked.at(-1)).toEqual([
      'user: one',
      'assistant: I hear "one"',
      'user: look two',
      'assistant: null',
      'tool: found two',
      'assistant: I hear "found two"',
      'user: three',
    ])
    expect(verify(await after.envelopes('t'))).toEqual([])
    await after.close()
  })

  test('goes on in the next process when its own is drained in mid-run', async () => {
    let letGo = (): void => {}
    held = new Promise((resolve) => (letGo = resolve))
    const before = await start()
    await before.call('/api/threads', { thread_id: 'd' })
    await before.call('/api/threads/d/runs', {
      agent: 'chat',
      input: { messages: [{ role: 'user', content: 'look far' }] },
    })
    while (
      (await before.envelopes('d')).every((e) => e.type !== 'tool_start' || e.payload.tool_name !== 'look')
    )
      await new Promise((resolve) => setTimeout(resolve, 5))
    const closing = before.close()
    letGo()
    await closing
    const after = await start()
    await after.settled('d')
    const envelopes = await after.envelopes('d')
    expect(verify(envelopes)).toEqual([])
    expect(new Set(envelopes.map((envelope) => envelope.trace_id)).size).toBe(1)
    expect(envelopes.filter((e) => e.type === 'tool_start' && e.payload.tool_name === 'look')).toHaveLength(1)
    expect(asked.at(-1)?.at(-1)).toBe('tool: found far')
    await after.close()
  })

  test('is forked from a checkpoint, and the fork knows only what came before', async () => {
    const server = await start()
    await server.call('/api/threads', { thread_id: 'f' })
    await server.say('f', 'one')
    await server.say('f', 'two')
    const checkpoints = await server.clewline.forks.checkpoints('f')
    const atOne = checkpoints.find((checkpoint) => checkpoint.messages === 2)
    await server.call('/api/threads/f/fork', { checkpoint_id: atOne?.checkpoint_id, thread_id: 'g' })
    await server.say('g', 'three')
    expect(asked.at(-1)).toEqual(['user: one', 'assistant: I hear "one"', 'user: three'])
    await server.close()
  })

  test('is served over AG-UI like any other agent', async () => {
    const server = await start()
    const agent = new HttpAgent({ url: `${server.url}/agui/chat`, threadId: 'a' })
    agent.addMessage({ id: 'u1', role: 'user', content: 'look here' })
    await agent.runAgent()
    expect(agent.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    agent.addMessage({ id: 'u2', role: 'user', content: 'thanks' })
    await agent.runAgent()
    expect(agent.messages.at(-1)?.content).toBe('I hear "thanks"')
    expect(asked.at(-1)).toHaveLength(5)
    await server.close()
  })

  test('a worker process ends with the server that it works for', async () => {
    const worker = new URL('../../../packages/langroid/src/testing/fake-worker.mjs', import.meta.url)
    const command = { command: process.execPath, args: [fileURLToPath(worker)] }
    const python = PythonAgent({ app: 'fake:build', command })
    const clewline = await createClewline({ agents: { python: LangroidAgent(python) }, store, studio: false })
    await clewline.threads.create({ thread_id: 'w' })
    await clewline.runs.create('w', { agent: 'python', input: 'slow' })
    await expect.poll(() => python.pid).toBeDefined()
    const pid = python.pid!
    await clewline.close({ timeoutMs: 100 })
    expect(python.pid).toBeUndefined()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})
