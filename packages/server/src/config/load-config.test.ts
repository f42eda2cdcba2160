import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from './load-config.ts'

let directory: string
beforeEach(() => {
  // Beside the source, so that the files find the packages that they import.
  directory = mkdtempSync(join(fileURLToPath(new URL('..', import.meta.url)), 'config-test-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
}

const graph = `
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
type Nothing = Record<string, never>
export const graph = new StateGraph(MessagesAnnotation).addNode('n', async (): Promise<Nothing> => ({})).addEdge(START, 'n').addEdge('n', END).compile()
export const make = async () => graph
`

test('a TypeScript config is loaded as it is', async () => {
  write({
    'graph.ts': graph,
    'clewline.config.ts': `import { graph } from './graph.ts'\nexport default { agents: { one: graph }, port: 9000 as number }`,
  })
  const config = await loadConfig(undefined, { directory })
  expect({ agents: Object.keys(config.agents), port: config.port }).toEqual({ agents: ['one'], port: 9000 })
})

test('a config that is a function learns which model was asked for', async () => {
  write({
    'graph.ts': graph,
    'clewline.config.ts': `import { graph } from './graph.ts'\nexport default async ({ model }) => ({ agents: { one: graph }, info: { model } })`,
  })
  expect(await loadConfig(undefined, { directory, model: 'ollama:x' })).toMatchObject({
    info: { model: 'ollama:x' },
  })
})

test('an existing langgraph.json works: exports, factories, descriptions and env', async () => {
  delete process.env['CLEWLINE_TEST_VALUE']
  write({
    'src/graph.ts': graph,
    '.env': 'export CLEWLINE_TEST_VALUE="from file"\n# a comment\n',
    'langgraph.json': JSON.stringify({
      graphs: { one: './src/graph.ts:graph', two: { path: './src/graph.ts:make' } },
      env: '.env',
    }),
  })
  const { agents } = await loadConfig(undefined, { directory })
  expect(Object.keys(agents)).toEqual(['one', 'two'])
  expect(process.env['CLEWLINE_TEST_VALUE']).toBe('from file')
})

test.each<[string, Record<string, string>, RegExp]>([
  ['nothing at all', {}, /No clewline.config.ts or langgraph.json/],
  [
    'a config with no agent in it',
    { 'clewline.config.ts': 'export default { agents: {} }' },
    /has no agents/,
  ],
  ['agents that are null', { 'clewline.config.ts': 'export default { agents: null }' }, /has no agents/],
  ['a langgraph.json without graphs', { 'langgraph.json': '{"graphs":{}}' }, /has no agents/],
  [
    'a graph that is no path',
    { 'langgraph.json': '{"graphs":{"a":5}}' },
    /langgraph\.json: graphs\.a: [^{\n]+$/,
  ],
  [
    'a window that tokens cannot be gathered for',
    { 'clewline.config.ts': 'export default { agents: { a: {} }, windowMs: 80 }' },
    /windowMs: .*75/,
  ],
  ['a config without agents', { 'clewline.config.ts': 'export default {}' }, /has no agents/],
  [
    'a config without a default export',
    { 'clewline.config.ts': 'export const agents = {}' },
    /has no agents/,
  ],
  ['a config that throws', { 'clewline.config.ts': 'throw new Error("oh no")' }, /cannot be loaded: oh no/],
  [
    'a config function that throws',
    { 'clewline.config.ts': 'export default () => { throw new Error("oh no") }' },
    /cannot be loaded: oh no \(.*clewline\.config\.ts:1:\d+\)$/,
  ],
  [
    'an import that is not there',
    { 'clewline.config.ts': 'import x from "no-such-package"; export default x' },
    /cannot be loaded: Cannot find module 'no-such-package'[^\n]*$/,
  ],
  [
    'a key that is misspelt',
    { 'clewline.config.ts': 'export default { agents: { a: {} }, compactAfterSecond: 1 }' },
    /It knows no "compactAfterSecond"\.$/,
  ],
  [
    'a number that is none',
    { 'clewline.config.ts': 'export default { agents: { a: {} }, concurrency: "many" }' },
    /concurrency: [^\n]+$/,
  ],
  [
    'a token that is no text',
    { 'clewline.config.ts': 'export default { agents: { a: {} }, token: 7 }' },
    /token: [^\n]+$/,
  ],
  ['a langgraph.json that is none', { 'langgraph.json': '{"graphs": 7}' }, /is not a langgraph.json/],
  [
    'a graph that is not exported',
    { 'langgraph.json': '{"graphs": {"a": "./g.ts:nope"}}', 'g.ts': 'export const graph = 1' },
    /exports nothing named "nope"/,
  ],
  [
    'an agent that is neither source nor graph',
    { 'langgraph.json': '{"graphs": {"a": "./g.ts:graph"}}', 'g.ts': 'export const graph = 1' },
    /neither a source nor a compiled graph/,
  ],
])('%s is told with what to do', async (_what, files, message) => {
  write(files)
  await expect(loadConfig(undefined, { directory })).rejects.toMatchObject({
    code: 'bad-config',
    message: expect.stringMatching(message),
    hint: expect.any(String),
  })
})
