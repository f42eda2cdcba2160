import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { createDeepAgent } from './create-deep-agent.ts'
import type { Call } from './testing/model-server.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
const FILES = { 'b.md': 'beta\nbeta two', 'a.md': 'one\ntwo\nthree', 'empty.md': '' }

/** Makes the calls in one turn, in a real graph, and returns what the model is then told. */
async function use(
  calls: readonly Call[],
  options: { maxFilesSize?: number; files?: Record<string, string> } = {},
) {
  const { files = FILES, ...rest } = options
  const server = await serve(({ turn }) => (turn === 0 ? calls : 'done'))
  const agent = createDeepAgent({ instructions: 'Work.', model: server.openai(), ...rest })
  const state = await agent.invoke({ messages: [new HumanMessage('go')], files })
  const answers = state.messages.filter((message) => ToolMessage.isInstance(message))
  return {
    state,
    answers: answers.map((message) => ({ text: message.text, status: message.status, message })),
  }
}

const edit = (file_path: string, old_string: string, new_string: string, replace_all?: boolean): Call => ({
  name: 'edit_file',
  args: { file_path, old_string, new_string, ...(replace_all !== undefined && { replace_all }) },
})

describe('reading', () => {
  it.each<[string, Call, 'success' | 'error', string]>([
    ['lists sorted names', { name: 'ls', args: {} }, 'success', 'a.md\nb.md\nempty.md'],
    [
      'numbers lines',
      { name: 'read_file', args: { file_path: 'a.md' } },
      'success',
      '     1\tone\n     2\ttwo\n     3\tthree',
    ],
    [
      'reads a part',
      { name: 'read_file', args: { file_path: 'a.md', offset: 1, limit: 1 } },
      'success',
      '     2\ttwo',
    ],
    [
      'says that a file is empty',
      { name: 'read_file', args: { file_path: 'empty.md' } },
      'success',
      'The file exists but is empty.',
    ],
    [
      'says that a file is missing',
      { name: 'read_file', args: { file_path: 'x.md' } },
      'error',
      'File x.md not found. Use ls to see which files there are.',
    ],
    [
      'refuses a path',
      { name: 'read_file', args: { file_path: '/a.md' } },
      'error',
      'The file name "/a.md" is a path, and the workspace has no directories. Use a flat name such as "a.md".',
    ],
    [
      'does not find what every object has',
      { name: 'read_file', args: { file_path: 'toString' } },
      'error',
      'File toString not found. Use ls to see which files there are.',
    ],
    ['finds names', { name: 'glob', args: { pattern: '{a,b}.*' } }, 'success', 'a.md\nb.md'],
    ['finds no names', { name: 'glob', args: { pattern: '*.txt' } }, 'success', 'No file matches "*.txt".'],
    [
      'finds lines',
      { name: 'grep', args: { pattern: 'TWO', ignore_case: true } },
      'success',
      'a.md:2: two\nb.md:2: beta two',
    ],
    [
      'finds lines in some files',
      { name: 'grep', args: { pattern: 'two', glob: 'a*' } },
      'success',
      'a.md:2: two',
    ],
    [
      'takes the pattern literally',
      { name: 'grep', args: { pattern: '.*' } },
      'success',
      'No line contains ".*".',
    ],
  ])('%s', async (_title, call, status, text) => {
    const { answers, state } = await use([call])
    expect(answers).toMatchObject([{ text, status }])
    expect(state.files).toEqual(FILES)
  })
})

describe('changing', () => {
  it.each<[string, Call, 'success' | 'error', string, Record<string, string | undefined>]>([
    [
      'creates a file',
      { name: 'write_file', args: { file_path: 'n.md', content: 'new' } },
      'success',
      'Created file n.md.',
      { 'n.md': 'new' },
    ],
    [
      'overwrites a file',
      { name: 'write_file', args: { file_path: 'a.md', content: '' } },
      'success',
      'Updated file a.md.',
      { 'a.md': '' },
    ],
    [
      'refuses directories',
      { name: 'write_file', args: { file_path: 'd/n.md', content: 'x' } },
      'error',
      'The file name "d/n.md" is a path, and the workspace has no directories. Use a flat name such as "n.md".',
      {},
    ],
    [
      'replaces exact text',
      edit('a.md', 'two', '2'),
      'success',
      'Replaced the text in a.md.',
      { 'a.md': 'one\n2\nthree' },
    ],
    [
      'edits no missing file',
      edit('x.md', 'a', 'b'),
      'error',
      'File x.md not found. Create it with write_file.',
      {},
    ],
    [
      'edits no missing text',
      edit('a.md', 'four', 'b'),
      'error',
      'The text to replace was not found in a.md: "four".',
      {},
    ],
    [
      'edits no ambiguous text',
      edit('b.md', 'beta', 'x'),
      'error',
      'The text to replace occurs 2 times in b.md: "beta". Give more of the text around it, or set replace_all.',
      {},
    ],
    [
      'replaces all when told to',
      edit('b.md', 'beta', 'x', true),
      'success',
      'Replaced 2 occurrences of the text in b.md.',
      { 'b.md': 'x\nx two' },
    ],
    [
      'edits no empty text',
      edit('a.md', '', 'x'),
      'error',
      'old_string is empty; give the exact text to replace.',
      {},
    ],
    [
      'edits nothing into itself',
      edit('a.md', 'two', 'two'),
      'error',
      'old_string and new_string are the same; nothing would change.',
      {},
    ],
    [
      'keeps dollar signs',
      edit('a.md', 'two', '$&$1'),
      'success',
      'Replaced the text in a.md.',
      { 'a.md': 'one\n$&$1\nthree' },
    ],
    [
      'deletes a file',
      { name: 'delete_file', args: { file_path: 'b.md' } },
      'success',
      'Deleted file b.md.',
      { 'b.md': undefined },
    ],
    [
      'deletes no missing file',
      { name: 'delete_file', args: { file_path: 'x.md' } },
      'error',
      'File x.md not found.',
      {},
    ],
  ])('%s', async (_title, call, status, text, changed) => {
    const { answers, state } = await use([{ ...call, id: 'call_x' }])
    expect(answers).toMatchObject([{ text, status, message: { tool_call_id: 'call_x', name: call.name } }])
    const expected: Record<string, string | undefined> = { ...FILES, ...changed }
    for (const name of Object.keys(expected)) if (expected[name] === undefined) delete expected[name]
    expect(state.files).toEqual(expected)
  })

  it('keeps Windows line breaks, and says so when an edit misses them', async () => {
    const files = { 'w.txt': 'one\r\ntwo\r\n' }
    const { state, answers } = await use(
      [
        edit('w.txt', 'one\ntwo', 'x'),
        edit('w.txt', 'one\r\ntwo', 'x'),
        { name: 'grep', args: { pattern: 'x' } },
      ],
      { files },
    )
    expect(answers.map(({ text }) => text)).toEqual([
      'The text to replace was not found in w.txt: "one\\ntwo". The lines of this file end in "\\r\\n": write them so in old_string and new_string.',
      'Replaced the text in w.txt.',
      'w.txt:1: x',
    ])
    expect(state.files).toEqual({ 'w.txt': 'x\r\n' })
  })

  it('shows a match far into a long line, with where to read on, and never half of a character', async () => {
    const files = { 'long.json': `${'👩'.repeat(200)}${'x'.repeat(5001)}needle${'y'.repeat(5000)}` }
    const { answers } = await use(
      [
        { name: 'grep', args: { pattern: '👩' } },
        { name: 'grep', args: { pattern: 'needle' } },
        { name: 'read_file', args: { file_path: 'long.json', column: 5401 } },
      ],
      { files },
    )
    const [first, second, third] = answers.map(({ text }) => text)
    expect(() => encodeURIComponent(first ?? '')).not.toThrow()
    expect(second).toMatch(/^long\.json:1: …x{150}needley{144} \(column 5251\)$/)
    expect(third).toMatch(/^     1\tneedley+$/)
  })

  it('keeps both of two edits of one file in one turn', async () => {
    const { state } = await use([edit('a.md', 'one', '1'), edit('a.md', 'three', '3')])
    expect(state.files['a.md']).toBe('1\ntwo\n3')
  })

  it('refuses the second of two edits of the same text, and says so', async () => {
    const { state, answers } = await use([edit('a.md', 'one', '1'), edit('a.md', 'one', 'uno')])
    expect(state.files['a.md']).toBe('1\ntwo\nthree')
    expect(answers.map(({ status }) => status)).toEqual(['success', 'error'])
  })

  it('lets a turn write a file and edit it', async () => {
    const { state } = await use([
      { name: 'write_file', args: { file_path: 'n.md', content: 'draft' } },
      edit('n.md', 'draft', 'final'),
    ])
    expect(state.files['n.md']).toBe('final')
  })

  it('bounds the size of the workspace, and still lets it shrink', async () => {
    const { state, answers } = await use(
      [
        { name: 'write_file', args: { file_path: 'big.md', content: 'x'.repeat(50) } },
        edit('a.md', 'three', 'x'.repeat(50)),
        { name: 'write_file', args: { file_path: 'a.md', content: 'x' } },
      ],
      { maxFilesSize: 60 },
    )
    expect(answers.map(({ status }) => status)).toEqual(['error', 'error', 'success'])
    expect(answers[0]?.text).toContain('over its limit of 60')
    expect(state.files).toEqual({ ...FILES, 'a.md': 'x' })
  })
})

describe('planning', () => {
  const todos = [
    { content: 'Look', status: 'completed' },
    { content: 'Think', status: 'in_progress' },
  ]

  it('stores the list and answers with where it stands', async () => {
    const { state, answers } = await use([{ name: 'write_todos', args: { todos } }])
    expect(state.todos).toEqual(todos)
    expect(answers[0]?.text).toBe('Updated the todo list: 1 of 2 completed. In progress: Think.')
  })

  it('lets the later of two lists of one turn stand, and says so', async () => {
    const { state, answers } = await use([
      { name: 'write_todos', args: { todos: [] } },
      { name: 'write_todos', args: { todos } },
    ])
    expect(state.todos).toEqual(todos)
    expect(answers.map(({ status }) => status)).toEqual(['error', 'success'])
    expect(answers[0]?.text).toContain('This plan was not stored')
  })

  it('refuses a list that is not well formed', async () => {
    const { state, answers } = await use([
      { name: 'write_todos', args: { todos: [{ content: 'x', status: 'done' }] } },
    ])
    expect(state.todos).toEqual([])
    expect(answers[0]).toMatchObject({ status: 'error' })
  })
})

describe('the input', () => {
  it('refuses files that are not text, before anything runs', async () => {
    await expect(use([], { files: JSON.parse('{"a.md": 3}') })).rejects.toThrow(/files/)
  })

  it('refuses names that are not flat', async () => {
    await expect(use([], { files: { 'a/b.md': 'x' } })).rejects.toThrow(/no directories/)
  })
})
