import { Annotation, START, StateGraph } from '@langchain/langgraph'
import { expect, test } from 'vitest'
import { fromGraph } from './index.ts'
import { recordRun } from './testing/index.ts'

const Input = Annotation.Root({ n: Annotation<number>() })
const Output = Annotation.Root({ double: Annotation<number>() })
const State = Annotation.Root({ ...Input.spec, ...Output.spec, hidden: Annotation<string>() })

const graph = new StateGraph({ input: Input, output: Output, stateSchema: State })
  .addNode('work', ({ n }) => ({ double: n * 2, hidden: 'x' }))
  .addEdge(START, 'work')
  .compile({ name: 'doubler' })

test('a run says what it depends on and what the graph put out, as its schema has it', async () => {
  const source = fromGraph(graph, { version: '1.2.3', config: { context: { tenant: 'a' } } })
  const config = { recursion_limit: 9, tags: ['x'], configurable: { user: 'ada' } }
  const { envelopes } = await recordRun(source, { kind: 'input', input: { n: 4 }, config })
  expect(envelopes[0]?.payload).toMatchObject({
    input: { n: 4 },
    config,
    context: { tenant: 'a' },
    code: { name: 'doubler', version: '1.2.3' },
  })
  expect(envelopes.at(-1)?.payload).toMatchObject({ result: { messages: [], output: { double: 8 } } })
})

test('an error keeps its own fields', async () => {
  const limited = Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '3' } })
  const failing = new StateGraph(State)
    .addNode('work', () => {
      throw limited
    })
    .addEdge(START, 'work')
    .compile({ name: 'failing' })
  const { envelopes } = await recordRun(fromGraph(failing), { kind: 'input', input: { n: 1 } })
  const [first] = envelopes.filter(({ type }) => type === 'error')
  expect(first?.payload).toMatchObject({ fields: { status: 429, headers: { 'retry-after': '3' } } })
})
