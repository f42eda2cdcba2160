import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { afterEach, describe, expect, it } from 'vitest'
import { createDeepAgent, type DeepAgentOptions } from './create-deep-agent.ts'
import { directoryFiles } from './directory-files.ts'
import { CountingModel } from './testing/counting-model.ts'
import type { Call } from './testing/model-server.ts'

const made: string[] = []
afterEach(async () => {
  await Promise.all(made.splice(0).map((directory) => rm(directory, { recursive: true })))
})
async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'skills-'))
  made.push(path)
  return path
}

async function skill(root: string, name: string, text: string): Promise<void> {
  await mkdir(join(root, name))
  await writeFile(join(root, name, 'SKILL.md'), text)
}

/** Makes the calls one by one; returns the answers, and the system prompt of each turn. */
async function run(calls: readonly Call[], options: Partial<DeepAgentOptions>) {
  const systems: string[] = []
  const model = new CountingModel((turn, messages) => {
    systems.push(messages[0]?.text ?? '')
    const call = calls[turn]
    return call === undefined ? 'done' : [call]
  })
  const agent = createDeepAgent({ instructions: 'Work.', model, ...options })
  const { messages } = await agent.invoke({ messages: [new HumanMessage('go')] })
  return { systems, answers: answers(messages) }
}

const answers = (messages: readonly BaseMessage[]) =>
  messages.filter((message) => ToolMessage.isInstance(message))

describe('skills', () => {
  it('are named in the prompt and read on demand, with the files that belong to them', async () => {
    const root = await directory()
    await skill(
      root,
      'reports',
      '---\nname: reports\ndescription: "How to write a report"\n---\nUse short words.',
    )
    await writeFile(join(root, 'reports', 'template.md'), '# Title')
    const { systems, answers } = await run(
      [
        { name: 'read_skill', args: { name: 'reports' } },
        { name: 'read_skill', args: { name: 'reports', file: 'template.md' } },
      ],
      { skills: [root] },
    )
    expect(systems[0]).toContain('- reports: How to write a report')
    expect(systems[0]).not.toContain('Use short words.')
    expect(answers[0]?.text).toContain('Use short words.\n\nOther files of this skill: template.md')
    expect(answers[1]?.text).toBe('# Title')
  })

  it.each([
    ['../secret', 'has no file'],
    ['link', 'has no file'],
    ['nothing.md', 'has no file'],
  ])('cannot be left by %j', async (file, message) => {
    const root = await directory()
    await skill(root, 'a', '---\nname: a\ndescription: A\n---\n')
    await writeFile(join(root, 'secret'), 'secret')
    await symlink(join(root, 'secret'), join(root, 'a', 'link'))
    const { answers } = await run([{ name: 'read_skill', args: { name: 'a', file } }], { skills: [root] })
    expect(answers[0]).toMatchObject({ status: 'error', text: expect.stringContaining(message) })
  })

  it('that cannot be used are a mistake in the options', async () => {
    const root = await directory()
    const create = () => createDeepAgent({ instructions: 'x', model: 'ollama:x', skills: [root] })
    await mkdir(join(root, 'empty'))
    expect(create).toThrow('has no SKILL.md')
    await writeFile(join(root, 'empty', 'SKILL.md'), 'text')
    expect(create).toThrow('The skill empty has no description.')
    expect(() =>
      createDeepAgent({ instructions: 'x', model: 'ollama:x', skills: [join(root, 'nowhere')] }),
    ).toThrow('cannot be read')
  })
})

describe('memory', () => {
  it('is in the prompt as it is now, also when the agent itself has just written it', async () => {
    const root = await directory()
    const file = join(root, 'AGENTS.md')
    await writeFile(file, 'The user likes tea.')
    const { systems } = await run(
      [{ name: 'edit_file', args: { file_path: 'AGENTS.md', old_string: 'tea', new_string: 'coffee' } }],
      { memory: [file, join(root, 'none.md')], backend: directoryFiles(root) },
    )
    expect(systems[0]).toMatch(/^Work\./)
    expect(systems[0]).toContain('The user likes tea.')
    expect(systems[1]).toContain('The user likes coffee.')
    expect(systems[1]).not.toContain('none.md')
  })

  it('can be protected from being written', async () => {
    const root = await directory()
    const { answers } = await run(
      [
        { name: 'write_file', args: { file_path: 'AGENTS.md', content: 'x' } },
        { name: 'delete_file', args: { file_path: 'AGENTS.md' } },
        { name: 'write_file', args: { file_path: 'notes.md', content: 'x' } },
      ],
      { readOnly: ['AGENTS.md', 'rules_*'], backend: directoryFiles(root) },
    )
    expect(answers.map(({ status }) => status)).toEqual(['error', 'error', 'success'])
    expect(answers[0]?.text).toBe('AGENTS.md is read-only.')
  })
})
