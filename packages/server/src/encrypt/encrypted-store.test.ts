import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { checkpointSerde } from '@clewline/langgraph'
import { expect, onTestFinished, test } from 'vitest'
import { createClewline, type Clewline, type ClewlineOptions } from '../create-clewline.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { createCipher } from './cipher.ts'
import { encryptingSerde } from './encrypting-serde.ts'

const newKey = (): string => randomBytes(32).toString('base64')
const key = newKey()
const other = newKey()

async function directory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'clewline-encrypted-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

async function open(store: string, options: Partial<ClewlineOptions>): Promise<Clewline> {
  const agents = { chat: chatGraph([{ text: 'fine' }, { text: 'fine' }, { text: 'fine' }]) }
  return await createClewline({ agents, store, onFailure: () => {}, ...options })
}

async function say(clewline: Clewline, thread_id: string, text: string) {
  await clewline.threads.create({ thread_id, title: 'tea' })
  const { run } = await clewline.runs.create(thread_id, { agent: 'chat', input: userSays(text) })
  await expect
    .poll(async () => (await clewline.runs.get(thread_id, run.run_id)).status)
    .not.toMatch(/pending|running/)
  return await clewline.runs.get(thread_id, run.run_id)
}

async function bytesOf(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'))
  return (await Promise.all(texts)).join('\n')
}

const hide = {
  redact: (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('oolong', '[redacted: tea]')),
}

test('with a key and a redaction, no file of the store has the word', async () => {
  const store = await directory()
  const clewline = await open(store, { encryption: { key }, ...hide })
  await say(clewline, 't', 'I like oolong')
  await clewline.crons.create({ schedule: '0 0 1 1 *', agent: 'chat', input: userSays('oolong') })
  const state = await clewline.threads.state('t')
  await clewline.close()
  expect(JSON.stringify(state.values)).toContain('oolong')
  expect(await bytesOf(store)).not.toContain('oolong')
})

test('without a key the states have it, so the test above can fail', async () => {
  const store = await directory()
  const clewline = await open(store, hide)
  await say(clewline, 't', 'I like oolong')
  await clewline.close()
  expect(await bytesOf(store)).toContain('oolong')
})

test('states from before there was a key, and of an earlier key, are read', async () => {
  const store = await directory()
  for (const encryption of [undefined, { key }, { key: other, oldKeys: [key] }]) {
    const clewline = await open(store, encryption === undefined ? {} : { encryption })
    expect(await say(clewline, 't', 'I like oolong')).toMatchObject({ status: 'success' })
    await clewline.close()
  }
  const last = await open(store, { encryption: { key: other, oldKeys: [key] } })
  onTestFinished(() => last.close())
  expect(JSON.stringify((await last.threads.state('t')).values).split('oolong')).toHaveLength(4)
})

test.each([
  ['none', {}, /no key is configured|cannot be read/],
  ['another', { encryption: { key: other } }, /not among those configured/],
])('a thread whose key is missing (%s is there) says so, and others run', async (_name, options, why) => {
  const store = await directory()
  const first = await open(store, { encryption: { key } })
  await say(first, 't', 'I like oolong')
  await first.close()
  const second = await open(store, options)
  onTestFinished(() => second.close())
  const failed = await say(second, 't', 'again')
  expect(failed).toMatchObject({ status: 'error', crashes: 0 })
  expect(failed.error?.message).toMatch(why)
  expect(await say(second, 'new', 'hello')).toMatchObject({ status: 'success' })
})

test('a server without the key does not start over runs that wait, and leaves them as they are', async () => {
  const store = await directory()
  const first = await open(store, { encryption: { key } })
  await first.threads.create({ thread_id: 't' })
  const asked = { agent: 'chat', input: userSays('oolong'), after_seconds: 3600 }
  const { run } = await first.runs.create('t', asked)
  await first.close()
  await expect(open(store, {})).rejects.toMatchObject({ code: 'bad-config', message: /no key is configured/ })
  const third = await open(store, { encryption: { key } })
  onTestFinished(() => third.close())
  expect(await third.runs.get('t', run.run_id)).toMatchObject({
    status: 'pending',
    request: { kind: 'input', input: userSays('oolong') },
  })
})

test('a key that is none is refused before the store is opened', async () => {
  await expect(open(await directory(), { encryption: { key: 'short' } })).rejects.toMatchObject({
    code: 'bad-config',
  })
})

test('what was changed in the store is not decrypted', () => {
  const cipher = createCipher({ key })
  const text = cipher.encrypt('json', Buffer.from('{"a":1}'))
  expect(cipher.decrypt(text)).toEqual({ label: 'json', plain: Buffer.from('{"a":1}') })
  expect(() => cipher.decrypt(text.replace('.json.', '.bytes.'))).toThrow(/not what was written/)
  expect(() => cipher.decrypt(`${text.slice(0, -3)}AAA`)).toThrow(/not what was written/)
})

test('data that looks encrypted stays data, also under the right key', async () => {
  const cipher = createCipher({ key })
  const serde = encryptingSerde(checkpointSerde, cipher)
  const stolen = { $encrypted: cipher.encrypt('json', Buffer.from('"oolong"')) }
  expect(await serde.loadsTyped(...(await serde.dumpsTyped(stolen)))).toEqual(stolen)
  expect(await serde.loadsTyped(...(await serde.dumpsTyped(new Uint8Array([1, 2]))))).toEqual(
    Buffer.from([1, 2]),
  )
})
