import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { verify } from '@clewline/core/check'
import type { Source } from '@clewline/core/source'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromRemote } from './index.ts'
import { recordRun, story } from './testing/index.ts'

let server: ChildProcess
let folder: string
let source: Source

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clewline-remote-'))
  const file = fileURLToPath(new URL('./testing/remote-server.mjs', import.meta.url))
  server = spawn(process.execPath, [file, '0'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: server.stdout! })) {
    const host = /^listening (.+)$/.exec(line)?.[1]
    if (host === undefined) continue
    source = fromRemote({ url: `http://${host}`, assistantId: 'chat' })
    server.stdout!.resume()
    return
  }
}, 120_000)

afterAll(async () => {
  server.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const say = (content: string) =>
  ({ kind: 'input', input: { messages: [{ role: 'user', content }] } }) as const

describe('a graph on a real LangGraph API server', () => {
  test('becomes envelopes with calls, tokens, checkpoints and a result', async () => {
    const { envelopes, outcome } = await recordRun(source, say('you'))
    expect(outcome).toEqual({ status: 'success' })
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "chat: graph starts
      chat: warns model-calls-recovered
      chat/remote-model: model starts
      chat/remote-model: says "hello you"
      chat/remote-model: ends stop
      chat: ends ok"
    `)
    expect(envelopes.some(({ type }) => type === 'subgraph_checkpoint')).toBe(true)
    expect(envelopes.at(-1)?.payload).toMatchObject({
      result: { messages: [{ text: 'hello you' }], usage: { total_tokens: 5 } },
    })
  })

  test('shows what a sub-agent does inside its task call', async () => {
    const { envelopes } = await recordRun(source, say('help'))
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "chat: graph starts
      chat: warns model-calls-recovered
      chat/remote-model: model starts
      chat/remote-model: calls task {"goal":"dig"}
      chat/remote-model: ends tool_calls
      chat/task: subagent starts {"goal":"dig"}
      chat/task/remote-model: model starts
      chat/task/remote-model: says "I help"
      chat/task/remote-model: ends stop
      chat/task: ends ok
      chat/remote-model: model starts
      chat/remote-model: says "all done"
      chat/remote-model: ends stop
      chat: ends ok"
    `)
  })

  test('pauses, is read, and is resumed by answer', async () => {
    const thread_id = randomUUID()
    const paused = await recordRun(source, say('ask'), { thread_id })
    expect(verify(paused.envelopes)).toEqual([])
    expect(paused.outcome).toMatchObject({
      status: 'interrupted',
      interrupts: [{ value: { about: 'lunch' } }],
    })
    const state = await source.state!({ thread_id, checkpointer: undefined })
    expect(state).toMatchObject({ next: ['tools'], interrupts: [{ value: { about: 'lunch' } }] })
    const resumed = await paused.next({ kind: 'resume', answers: [{ value: { ok: true } }] })
    expect(resumed.outcome).toEqual({ status: 'success' })
    expect(verify(resumed.envelopes)).toEqual([])
    expect(story(resumed.envelopes, paused.envelopes.length)).toMatchInlineSnapshot(`
      "chat: goes on
      chat: warns model-calls-recovered
      chat/approve: goes on
      chat/approve: ends ok "they said {\\"ok\\":true}"
      chat/remote-model: model starts
      chat/remote-model: says "all done"
      chat/remote-model: ends stop
      chat: ends ok"
    `)
    const list = await source.checkpoints!({ thread_id, checkpointer: undefined })
    expect(list[0]).toMatchObject({ next: [], messages: 4 })
  })

  test('fails where it failed', async () => {
    const { envelopes, outcome } = await recordRun(source, say('fail'))
    expect(outcome).toMatchObject({ status: 'error', error: { message: 'the provider is down' } })
    expect(verify(envelopes)).toEqual([])
  })

  test('is cancelled there too', async () => {
    const cancel = new AbortController()
    const { envelopes, outcome } = await recordRun(source, say('slow'), {
      signal: cancel.signal,
      onEnvelope: ({ type }) => {
        if (type === 'llm_token') cancel.abort()
      },
    })
    expect(outcome).toEqual({ status: 'cancelled' })
    expect(verify(envelopes)).toEqual([])
  })

  test('is followed again from its beginning by another process, and nothing is lost', async () => {
    const died = await recordRun(source, say('slow'), { diesAt: ({ type }) => type === 'llm_token' })
    const recovered = await died.next({ kind: 'recover' })
    expect(recovered.outcome).toEqual({ status: 'success' })
    expect(verify(recovered.envelopes)).toEqual([])
    const text = Array.from({ length: 60 }, (_, i) => `w${i} `).join('')
    expect(recovered.envelopes.at(-1)?.payload).toMatchObject({ result: { messages: [{ text }] } })
  })

  test('takes thread ids that are not UUIDs', async () => {
    const thread_id = 'not a uuid'
    await recordRun(source, say('one'), { thread_id })
    await recordRun(source, say('two'), { thread_id })
    expect(await source.state!({ thread_id, checkpointer: undefined })).toMatchObject({
      values: { messages: { length: 4 } },
    })
  })

  test('is not found when the server does not have it', async () => {
    const host = 'http://127.0.0.1:9'
    const nowhere = fromRemote({ url: host, assistantId: 'chat' })
    const { outcome, envelopes } = await recordRun(nowhere, say('hi'))
    expect(outcome.status).toBe('error')
    expect(verify(envelopes)).toEqual([])
  })
})
