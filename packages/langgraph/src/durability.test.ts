import { setTimeout as sleep } from 'node:timers/promises'
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph'
import { expect, test } from 'vitest'
import { type FromGraphOptions, fromGraph } from './index.ts'
import { recordRun } from './testing/index.ts'

const State = Annotation.Root({ n: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }) })

/** How many steps ran, and how many states were saved, when each step began. */
interface Lag {
  readonly saved: () => number
  readonly behind: number[]
}

function countTo(end: number, { saved, behind }: Lag) {
  return new StateGraph(State)
    .addNode('step', ({ n }) => {
      behind.push(n - saved())
      return { n: 1 }
    })
    .addEdge(START, 'step')
    .addConditionalEdges('step', ({ n }) => (n < end ? 'step' : END))
}

/** A saver that takes longer than a step, as one across a network does. */
function slowSaver(): { readonly saver: MemorySaver; readonly saved: (namespace: string) => number } {
  const saver = new MemorySaver()
  const steps: string[] = []
  const put = saver.put.bind(saver)
  saver.put = async (config, checkpoint, metadata) => {
    await sleep(15)
    const result = await put(config, checkpoint, metadata)
    // The input, and the task that begins with it, are no steps of the graph.
    if (metadata.source === 'loop' && metadata.step > 0)
      steps.push(String(config.configurable?.['checkpoint_ns'] ?? ''))
    return result
  }
  return { saver, saved: (namespace) => steps.filter((one) => one.startsWith(namespace)).length }
}

async function lagOf(options: FromGraphOptions, isNested: boolean): Promise<readonly number[]> {
  const { saver, saved } = slowSaver()
  const behind: number[] = []
  const counting = countTo(5, { saved: () => saved(isNested ? 'inner' : ''), behind })
  const graph = isNested
    ? new StateGraph(State)
        .addNode('inner', counting.compile())
        .addEdge(START, 'inner')
        .addEdge('inner', END)
        .compile()
    : counting.compile()
  await recordRun(fromGraph(graph, options), { kind: 'input', input: { n: 0 } }, { checkpointer: saver })
  return behind
}

test.each([
  ['graph', false],
  ['graph in a graph', true],
])(
  'a step of a %s begins when the state before it is saved, however slow the store',
  async (_what, isNested) => {
    expect(await lagOf({}, isNested)).toEqual([0, 0, 0, 0, 0])
  },
)

test.each([
  ['graph', false],
  ['graph in a graph', true],
])('an agent that asks for another durability has it, also in a %s', async (_what, isNested) => {
  const behind = await lagOf({ config: { durability: 'async' } }, isNested)
  expect(Math.max(...behind)).toBeGreaterThan(1)
})
