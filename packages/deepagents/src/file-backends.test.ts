import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { InMemoryStore } from '@langchain/langgraph'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compositeFiles } from './composite-files.ts'
import { createDeepAgent } from './create-deep-agent.ts'
import { directoryFiles } from './directory-files.ts'
import { storeFiles } from './store-files.ts'
import { CountingModel } from './testing/counting-model.ts'
import { fileBackendConformance } from './testing/file-backend-conformance.ts'
import type { Call } from './testing/model-server.ts'

const made: string[] = []
afterEach(async () => {
  await Promise.all(made.splice(0).map((directory) => rm(directory, { recursive: true })))
})
async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'files-'))
  made.push(path)
  return path
}

fileBackendConformance('a directory', async () => {
  const path = await directory()
  return { backend: directoryFiles(path), open: () => directoryFiles(path) }
})
fileBackendConformance('a LangGraph store', async () => {
  const store = new InMemoryStore()
  return { backend: storeFiles(store, ['a']), open: () => storeFiles(store, ['a']) }
})
fileBackendConformance('a composite', async () => {
  const [path, store] = [await directory(), new InMemoryStore()]
  const open = () => compositeFiles({ m_: storeFiles(store, ['a']), m_a: directoryFiles(path) })
  return { backend: open(), open }
})

describe('a directory', () => {
  it('neither reads nor writes through links, and shows no directories', async () => {
    const [path, outside] = [await directory(), await directory()]
    await writeFile(join(outside, 'secret'), 'secret')
    await symlink(join(outside, 'secret'), join(path, 'link'))
    await symlink(outside, join(path, 'folder'))
    await mkdir(join(path, 'inner'))
    const backend = directoryFiles(path)
    expect(await backend.load()).toEqual({})
    expect(await backend.apply({ op: 'edit', name: 'link', old: 'secret', new: 'x', all: false })).toBe(false)
    await backend.apply({ op: 'write', name: 'link', content: 'mine' })
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
    expect(await backend.load()).toEqual({ link: 'mine' })
  })

  it.each(['../x', '/etc/x', 'a/b', '..', 'a\u0000b'])('refuses the name %j', async (name) => {
    const backend = directoryFiles(await directory())
    await expect(backend.apply({ op: 'write', name, content: 'x' })).rejects.toMatchObject({
      code: 'bad-file',
    })
  })

  it('has a limit on the size of a file, and leaves nothing half written', async () => {
    const path = await directory()
    await writeFile(join(path, 'large'), 'x'.repeat(100))
    const backend = directoryFiles(path, { maxFileSize: 50 })
    expect(await backend.load()).toEqual({})
    await expect(backend.apply({ op: 'write', name: 'a', content: 'é'.repeat(26) })).rejects.toThrow(
      '50 bytes',
    )
    expect(await readdir(path)).toEqual(['large'])
  })
})

const answers = (messages: readonly BaseMessage[]) =>
  messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text)
const task = (description: string): Call => ({
  name: 'task',
  id: `task_${description}`,
  args: { description, subagent_type: 'general-purpose' },
})
const edit = (file_path: string, old_string: string, new_string: string): Call => ({
  name: 'edit_file',
  args: { file_path, old_string, new_string },
})

/** Each agent makes its calls one by one; the newest task is what its conversation begins with. */
function scripted(scripts: Readonly<Record<string, readonly (readonly Call[])[]>>) {
  return new CountingModel((_turn, messages) => {
    const who = messages.find((message) => message.type === 'human')?.text ?? ''
    const turn = messages.filter((message) => message.type === 'ai').length
    return scripts[who]?.[turn] ?? `finished ${who}`
  })
}

describe('an agent with files on disk', () => {
  it('reads, changes and lists them, and finds them again in the next conversation', async () => {
    const path = await directory()
    await writeFile(join(path, 'notes.md'), 'one')
    const create = (calls: readonly (readonly Call[])[]) =>
      createDeepAgent({ instructions: 'x', model: scripted({ go: calls }), backend: directoryFiles(path) })
    const go = { messages: [new HumanMessage('go')] }
    const first = await create([
      [edit('notes.md', 'one', 'two')],
      [{ name: 'write_file', args: { file_path: 'new.md', content: 'new' } }],
    ]).invoke(go)
    expect(first.files).toEqual({})
    const second = await create([
      [{ name: 'ls', args: {} }],
      [{ name: 'grep', args: { pattern: 'two' } }],
      [{ name: 'delete_file', args: { file_path: 'new.md' } }],
    ]).invoke(go)
    expect(answers(second.messages)).toEqual(['new.md\nnotes.md', 'notes.md:1: two', 'Deleted file new.md.'])
    expect(await readdir(path)).toEqual(['notes.md'])
  })

  it('loses no edit of fifty sub-agents that work at the same time', async () => {
    const path = await directory()
    const names = Array.from({ length: 50 }, (_, index) => `n${index}`)
    await writeFile(join(path, 'shared.md'), names.map((name) => `${name}: open;`).join('\n'))
    const model = scripted({
      go: [names.map(task)],
      ...Object.fromEntries(
        names.map((name) => [name, [[edit('shared.md', `${name}: open`, `${name}: done`)]]]),
      ),
    })
    const agent = createDeepAgent({ instructions: 'x', model, backend: directoryFiles(path) })
    const { messages } = await agent.invoke({ messages: [new HumanMessage('go')] })
    expect(answers(messages)).toEqual(names.map((name) => `finished ${name}`))
    expect(await readFile(join(path, 'shared.md'), 'utf8')).toBe(
      names.map((name) => `${name}: done;`).join('\n'),
    )
  })

  it('does not overwrite what a sub-agent of the same turn changed', async () => {
    const path = await directory()
    const write = (content: string): Call => ({ name: 'write_file', args: { file_path: 'x.md', content } })
    const model = scripted({ go: [[task('A'), task('B')]], A: [[write('A')]], B: [[write('B')]] })
    const agent = createDeepAgent({ instructions: 'x', model, backend: directoryFiles(path) })
    await agent.invoke({ messages: [new HumanMessage('go')] })
    const content = await readFile(join(path, 'x.md'), 'utf8')
    expect(['A', 'B']).toContain(content)
  })

  it('is told when another process changed a file', async () => {
    const path = await directory()
    await writeFile(join(path, 'x.md'), 'one')
    const meddle = tool(
      async () => {
        await writeFile(join(path, 'x.md'), 'changed')
        return 'ok'
      },
      { name: 'meddle', description: '', schema: z.object({}) },
    )
    const model = scripted({
      go: [[task('A')]],
      A: [
        [{ name: 'read_file', args: { file_path: 'x.md' } }],
        [{ name: 'meddle', args: {} }],
        [edit('x.md', 'one', 'two')],
        [{ name: 'read_file', args: { file_path: 'x.md' } }],
      ],
    })
    const seen: string[] = []
    const agent = createDeepAgent({
      instructions: 'x',
      model: Object.assign(model, { _generate: watch(model, seen) }),
      tools: [meddle],
      backend: directoryFiles(path),
    })
    await agent.invoke({ messages: [new HumanMessage('go')] })
    expect(seen.join('\n')).toContain('Conflict: x.md was changed by another process while you worked.')
    expect(seen.join('\n')).toContain('1\tchanged')
    expect(await readFile(join(path, 'x.md'), 'utf8')).toBe('changed')
  })

  it('finds large results there', async () => {
    const path = await directory()
    const page = tool(() => 'z'.repeat(50_000), { name: 'page', description: '', schema: z.object({}) })
    const model = new CountingModel((turn, messages) => {
      if (turn === 0) return [{ name: 'page', args: {}, id: 'p' }]
      const file_path = /result_page_p_\w+\.txt/.exec(messages.at(-1)?.text ?? '')?.[0]
      return turn === 1 ? [{ name: 'read_file', args: { file_path } }] : 'done'
    })
    const agent = createDeepAgent({ instructions: 'x', model, tools: [page], backend: directoryFiles(path) })
    const { messages, files } = await agent.invoke({ messages: [new HumanMessage('go')] })
    expect(files).toEqual({})
    expect(answers(messages)[1]).toMatch(/^     1\tzzz/)
  })
})

it('keeps files by the beginning of their name, and the rest in the state', async () => {
  const store = new InMemoryStore()
  const write = (file_path: string): Call => ({ name: 'write_file', args: { file_path, content: file_path } })
  const model = scripted({
    go: [[write('memory_a.md'), write('b.md')], [task('A')]],
    A: [[{ name: 'ls', args: {} }], [write('memory_c.md'), write('d.md')]],
  })
  const agent = createDeepAgent({
    instructions: 'x',
    model,
    backend: compositeFiles({ memory_: storeFiles(store, ['user']) }),
  })
  const { files } = await agent.invoke({ messages: [new HumanMessage('go')], files: { 'seed.md': 's' } })
  expect(Object.keys(files).sort()).toEqual(['b.md', 'd.md', 'seed.md'])
  const kept = await store.search(['user'])
  expect(kept.map(({ key }) => key).sort()).toEqual(['memory_a.md', 'memory_c.md'])
})

function watch(model: CountingModel, seen: string[]): CountingModel['_generate'] {
  const generate = model._generate.bind(model)
  return (messages) => {
    seen.push(...messages.map((message) => message.text))
    return generate(messages)
  }
}
