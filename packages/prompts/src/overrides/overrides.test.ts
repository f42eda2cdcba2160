import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createSession, definePrompt, LangGraphAdapter, section, tool } from '../index.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { directoryOverrides, memoryOverrides, overrideSection, withOverrides } from './index.ts'

const hi = tool({ name: 'hi', description: 'd', handler: () => 'hi' })
const sectionsOf = (text: string) =>
  [
    section({
      key: 'task',
      title: 'Task',
      template: text,
      params: z.object({ name: z.string() }),
      tools: [hi],
      children: [section({ key: 'tone', title: 'Tone', template: 'Be kind.', summary: 'Kind.' })],
    }),
    section({ key: 'law', title: 'Law', template: 'Obey.', acceptsOverrides: false }),
  ] as const
const greeting = definePrompt({ ns: 'test', key: 'greeting', sections: sectionsOf('Greet {{name}}.') })

let directory = ''
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'clewline-overrides-'))))
afterAll(() => rm(directory, { recursive: true, force: true }))
let folders = 0
const stores = [
  ['in memory', () => memoryOverrides()],
  ['in a directory', () => directoryOverrides(join(directory, `${(folders += 1)}`))],
] as const

describe.each(stores)('overrides %s', (_name, open) => {
  test('replace the text of a section, nested ones too, and leave the rest', async () => {
    const store = open()
    await overrideSection(greeting, store, 'task', { template: 'Hail {{name}}!' })
    await overrideSection(greeting, store, 'task.tone', { template: 'Be loud.', summary: 'Loud.' })
    const { prompt, applied, ignored } = await withOverrides(greeting, store)
    expect([applied.toSorted(), ignored]).toEqual([['task', 'task.tone'], []])
    expect(prompt.bind({ name: 'Ada' }).render().text).toBe(
      '## 1. Task (task)\n\nHail Ada!\n\n### 1.1. Tone (task.tone)\n\nBe loud.\n\n## 2. Law (law)\n\nObey.',
    )
    expect(prompt.hash).not.toBe(greeting.hash)
    expect(greeting.bind({ name: 'Ada' }).render().text).toContain('Greet Ada.')
  })

  test('hold for the text that was edited, not for another', async () => {
    const store = open()
    await overrideSection(greeting, store, 'task', { template: 'Hail {{name}}!' })
    const rewritten = definePrompt({ ns: 'test', key: 'greeting', sections: sectionsOf('Welcome {{name}}.') })
    await expect(withOverrides(rewritten, store)).resolves.toEqual({
      prompt: rewritten,
      applied: [],
      ignored: [{ path: 'task', reason: 'changed' }],
    })
  })

  test('are told apart by their tag, and taken back', async () => {
    const store = open()
    await overrideSection(greeting, store, 'task', { template: 'Yo.' }, { tag: 'casual' })
    expect((await withOverrides(greeting, store)).prompt).toBe(greeting)
    expect((await withOverrides(greeting, store, { tag: 'casual' })).applied).toEqual(['task'])
    const key = { ns: 'test', key: 'greeting', tag: 'casual' }
    await store.remove(key, 'task')
    await store.remove(key, 'task')
    expect((await withOverrides(greeting, store, { tag: 'casual' })).prompt).toBe(greeting)
  })

  test('of many sections at once are all kept', async () => {
    const store = open()
    const many = Array.from({ length: 30 }, (_, n) => section({ key: `s${n}`, title: 'S', template: 'Old.' }))
    const prompt = definePrompt({ ns: 'test', key: 'many', sections: many })
    await Promise.all(many.map(({ key }) => overrideSection(prompt, store, key, { template: 'New.' })))
    expect((await withOverrides(prompt, store)).applied).toHaveLength(30)
  })

  test('that were kept by hand and do not fit are ignored, with the reason', async () => {
    const store = open()
    const key = { ns: 'test', key: 'greeting', tag: 'latest' }
    await overrideSection(greeting, store, 'task', { template: 'Hail.' })
    const { expectedHash } = (await store.load(key))['task']!
    await store.save(key, 'task', { expectedHash, template: 'Hail {{nobody}}.' })
    await store.save(key, 'gone', { expectedHash, template: 'x' })
    await store.save(key, 'law', { expectedHash, template: 'Rebel.' })
    const { prompt, ignored } = await withOverrides(greeting, store)
    expect(prompt).toBe(greeting)
    expect(ignored).toEqual([
      { path: 'task', reason: 'invalid' },
      { path: 'law', reason: 'fixed' },
      { path: 'gone', reason: 'missing' },
    ])
  })

  test.each([
    ['a section that is not there', 'nope', 'x', 'has no section "nope"'],
    ['a section that takes none', 'law', 'x', 'takes no overrides'],
    ['a placeholder without parameter', 'task', '{{nope}}', 'uses {{nope}}, which is no parameter'],
  ])('refuse %s', async (_case, path, template, message) => {
    await expect(overrideSection(greeting, open(), path, { template })).rejects.toThrow(message)
  })
})

test('the same edits give the same prompt, so that an adapter compiles it once', async () => {
  const store = memoryOverrides()
  await overrideSection(greeting, store, 'task', { template: 'Hail {{name}}!' })
  const first = await withOverrides(greeting, store)
  const second = await withOverrides(greeting, store)
  expect(second.prompt).toBe(first.prompt)
  const model = new ScriptedModel([{ calls: [{ name: 'hi' }] }, { text: 'Done.' }])
  const session = createSession()
  const response = new LangGraphAdapter({ model }).evaluate(first.prompt.bind({ name: 'Ada' }), { session })
  await expect(response).resolves.toMatchObject({ text: 'Done.' })
  expect(model.seen[0]?.messages[0]?.text).toContain('Hail Ada!')
})

describe('a directory of overrides', () => {
  test.each(['../up', 'a/b', '..', ''])('cannot be left by the tag %j', async (tag) => {
    await expect(withOverrides(greeting, directoryOverrides(directory), { tag })).rejects.toThrow(
      'cannot be the tag of overrides',
    )
  })

  test('cannot be left by the path of a section', async () => {
    const of = { ns: 'test', key: 'greeting', tag: 'latest' }
    const override = { expectedHash: '', template: '' }
    await expect(directoryOverrides(directory).save(of, '../../x', override)).rejects.toThrow(
      'is no path of a section',
    )
  })

  test('holds readable files, and no drafts', async () => {
    const folder = join(directory, 'files')
    await overrideSection(greeting, directoryOverrides(folder), 'task', { template: 'Hail.' })
    const place = join(folder, 'test', 'greeting', 'latest')
    expect(await readdir(place)).toEqual(['task.json'])
    expect(JSON.parse(await readFile(join(place, 'task.json'), 'utf8'))).toMatchObject({
      version: 1,
      template: 'Hail.',
    })
  })

  test('names a file that is damaged', async () => {
    const folder = join(directory, 'damaged')
    const store = directoryOverrides(folder)
    await overrideSection(greeting, store, 'task', { template: 'Hail.' })
    await writeFile(join(folder, 'test', 'greeting', 'latest', 'task.json'), '{"version":1')
    await expect(withOverrides(greeting, store)).rejects.toMatchObject({
      code: 'bad-file',
      message: expect.stringContaining('task.json cannot be read'),
    })
  })
})
