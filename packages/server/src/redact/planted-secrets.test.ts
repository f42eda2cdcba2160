import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { eachEntry } from '@clewline/core/read'
import { createDeepAgent } from '@clewline/deepagents'
import { scriptedModel } from '@clewline/langgraph/testing'
import { AIMessage } from '@langchain/core/messages'
import { END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { expect, onTestFinished, test } from 'vitest'
import { createClewline, type Clewline } from '../create-clewline.ts'
import { userSays } from '../testing/chat-graph.ts'
import { redactSecrets } from './redact-secrets.ts'

/** One for each place, so that a test that fails says where it came through. */
const planted = (place: string): string => `${place}@planted.example`
const FOUND = /[\w.]+@planted\.example/g
const inPieces = (text: string): string[] => text.split(/(?<=.)/)

function graph() {
  const model = scriptedModel(() => ({
    reasoning: inPieces(`think ${planted('reasoning')}`),
    text: inPieces(`say ${planted('stream')} ${'and so on '.repeat(20)}`),
  }))
  return new StateGraph(MessagesAnnotation)
    .addNode('chat', async (state, config) => {
      config.writer?.({ clewline: { text: 'upd' } })
      config.writer?.({ clewline: { text: planted('ate').slice(0, 6) } })
      config.writer?.({ clewline: { text: planted('ate').slice(6) } })
      config.writer?.({ custom: planted('custom') })
      config.writer?.({ clewline: { warning: { code: 'x', message: planted('warning') } } })
      return { messages: [await model.invoke(state.messages)] }
    })
    .addNode('ask', () => {
      const answer: unknown = interrupt({ question: planted('question') })
      return { messages: [new AIMessage(`heard ${String(answer)}`)] }
    })
    .addNode('fail', () => {
      throw Object.assign(new Error(planted('error')), { detail: planted('field') })
    })
    .addEdge(START, 'chat')
    .addEdge('chat', 'ask')
    .addEdge('ask', 'fail')
    .addEdge('fail', END)
    .compile()
}

function deep() {
  const write = (path: string) => ({
    name: 'write_file',
    args: { file_path: path, content: `# ${planted('file')}` },
  })
  const task = {
    name: 'task',
    args: { description: `sub ${planted('task')}`, subagent_type: 'general-purpose' },
  }
  const model = scriptedModel(({ messages, turn }) => {
    const asked = messages.find((message) => message.getType() === 'human')?.text ?? ''
    if (asked.startsWith('sub')) {
      return [{ toolCalls: [write(`/${planted('path')}.md`)] }, { text: `done ${planted('subagent')}` }][
        turn
      ]!
    }
    const todos = [{ content: planted('todo'), status: 'pending' }]
    return [
      { toolCalls: [{ name: 'write_todos', args: { todos } }] },
      { toolCalls: [task] },
      { text: 'over' },
    ][turn]!
  })
  return createDeepAgent({ instructions: `Never tell ${planted('prompt')}.`, model, name: 'deep' })
}

async function over(clewline: Clewline, thread_id: string, run_id: string): Promise<string> {
  const status = async () => (await clewline.runs.get(thread_id, run_id)).status
  await expect.poll(status, { timeout: 10_000 }).not.toMatch(/pending|running/)
  return await status()
}

async function logOf(clewline: Clewline, thread_id: string): Promise<Envelope[]> {
  const log: Envelope[] = []
  for await (const { envelope } of eachEntry(clewline.log.read(thread_id, { follow: false })))
    log.push(envelope)
  return log
}

async function bytesOf(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'))
  return (await Promise.all(texts)).join('\n')
}

/** Does whatever leaves a trace; resolves with everything that came out, and what the closed store has. */
async function everything(options: { readonly isProtected: boolean }) {
  const store = await mkdtemp(join(tmpdir(), 'clewline-planted-'))
  onTestFinished(() => rm(store, { recursive: true, force: true }))
  const key = randomBytes(32).toString('base64')
  const clewline = await createClewline({
    agents: { graph: graph(), deep: deep() },
    store,
    studio: false,
    onFailure: () => {},
    debug: true,
    ...(options.isProtected && { redact: redactSecrets, encryption: { key } }),
  })
  const shown: string[] = []
  const get = async (path: string): Promise<string> => {
    const text = await (await clewline.fetch(new Request(`http://localhost${path}`))).text()
    shown.push(text)
    return text
  }

  await clewline.threads.create({ thread_id: 't' })
  const config = { configurable: { note: planted('configurable') } }
  const input = userSays(`hello ${planted('input')}`)
  const first = (await clewline.runs.create('t', { agent: 'graph', input, config })).run.run_id
  expect(await over(clewline, 't', first)).toBe('interrupted')
  const fork = await clewline.forks.fork('t', {})
  const answer = { agent: 'graph', resume: [{ value: planted('answer') }] }
  const second = (await clewline.runs.create('t', answer)).run.run_id
  expect(await over(clewline, 't', second)).toBe('error')
  await clewline.threads.updateState('t', { messages: [], note: planted('edit') }).catch(() => {})

  await clewline.threads.create({ thread_id: 'd', title: `about ${planted('title')}` })
  const deepRun = (await clewline.runs.create('d', { agent: 'deep', input: userSays('go') })).run.run_id
  expect(await over(clewline, 'd', deepRun)).toBe('success')

  for (const id of ['t', 'd', fork.thread_id]) {
    expect(verify(await logOf(clewline, id), { live: true })).toEqual([])
    await get(`/api/threads/${id}/export`)
    await get(`/api/threads/${id}/events?follow=false&profile=user&inputs=true`)
    await get(`/api/threads/${id}/runs?inputs=true`)
  }
  await get('/api/threads')
  await get(`/api/threads/t/runs/${first}`)
  await clewline.compact('t')
  await clewline.close()
  return { shown: shown.join('\n'), stored: await bytesOf(store) }
}

const found = (text: string): string[] => [...new Set(text.match(FOUND))].sort()

test('no planted secret is in what is shown, nor in any byte of the store', { timeout: 60_000 }, async () => {
  const { shown, stored } = await everything({ isProtected: true })
  expect(found(shown)).toEqual([])
  expect(found(stored)).toEqual([])
  expect(shown).toContain('[redacted: email]')
})

test('unprotected, each of them is there', { timeout: 60_000 }, async () => {
  const { shown } = await everything({ isProtected: false })
  const places =
    'answer configurable custom error field file input path prompt question reasoning stream subagent task title todo warning'
  expect(found(shown)).toEqual(expect.arrayContaining(places.split(' ').map(planted)))
})

test('a log with secrets that is imported into a service that redacts has none there', async () => {
  const open = await createClewline({
    agents: { graph: graph() },
    store: ':memory:',
    studio: false,
    onFailure: () => {},
  })
  onTestFinished(() => open.close())
  await open.threads.create({ thread_id: 't' })
  const { run } = await open.runs.create('t', { agent: 'graph', input: userSays(planted('input')) })
  await over(open, 't', run.run_id)
  const strict = await createClewline({
    agents: { graph: graph() },
    store: ':memory:',
    studio: false,
    redact: redactSecrets,
  })
  onTestFinished(() => strict.close())
  const title = planted('title')
  const imported = await strict.threads.import(await logOf(open, 't'), { title })
  const log = await logOf(strict, imported.thread_id)
  const tokens = log.flatMap((one) => (one.type === 'llm_token' ? one.payload.text : [])).join('')
  expect(tokens).toContain('say [redacted: email] and so on')
  expect(found(JSON.stringify([imported, log]))).toEqual([])
  expect(verify(log)).toEqual([])
})
