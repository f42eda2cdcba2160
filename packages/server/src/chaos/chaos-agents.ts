import { setTimeout as sleep } from 'node:timers/promises'
import { AIMessage } from '@langchain/core/messages'
import type { RunnableConfig } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { Annotation, END, interrupt, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { createDeepAgent } from '@clewline/deepagents'
import { type Script, scriptedModel } from '@clewline/langgraph/testing'
import { z } from 'zod'
import { doEffect } from './effects.ts'
import { COUNT, LEAVES, LOOKUPS } from './endings.ts'

interface Answered {
  readonly question: string
  readonly answer: unknown
}

const Answers = Annotation.Root({
  answers: Annotation<Answered[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
})

/** Agents whose ends are known to the last byte, so that anything lost, doubled or mixed up shows in their state. */
export const chaosAgents = {
  'two-question': twoQuestionGraph(),
  panel: panelGraph(),
  deep: deepAgent(),
  'fan-out': fanOutGraph(),
  counter: counterGraph(),
  'long-tool': longToolGraph(),
}

/** Asks in the name of `who`, twice in one node: LangGraph gives both questions the same id. */
function asksTwice(agent: string, who: string) {
  return async (_state: unknown, config: RunnableConfig) => {
    const first = { question: `${who} STAGING?`, answer: interrupt(`${who} STAGING?`) }
    await sleep(10)
    const second = { question: `${who} PRODUCTION?`, answer: interrupt(`${who} PRODUCTION?`) }
    // Not after the first: a resumed node runs again from its beginning, crash or not.
    doEffect(agent, `${who} has both`, config)
    await sleep(10)
    return { answers: [first, second] }
  }
}

function twoQuestionGraph() {
  return new StateGraph(Answers)
    .addNode('ask', asksTwice('two-question', 'delete'))
    .addEdge(START, 'ask')
    .addEdge('ask', END)
    .compile()
}

/** Two nodes that ask at once, so that answers go by id and one of them may come alone. */
function panelGraph() {
  return new StateGraph(Answers)
    .addNode('left', asksTwice('panel', 'left'))
    .addNode('right', asksTwice('panel', 'right'))
    .addEdge(START, 'left')
    .addEdge(START, 'right')
    .addEdge('left', END)
    .addEdge('right', END)
    .compile()
}

/** Two sub-agents at once, each with files of its own and an edit in a file of all, and then the agent itself. */
function deepAgent() {
  const note = tool(
    async ({ what }: { what: string }, config: RunnableConfig) => {
      doEffect('deep', what, config)
      await sleep(10)
      return `noted ${what}`
    },
    { name: 'note', description: 'Notes something.', schema: z.object({ what: z.string() }) },
  )
  const write = (file_path: string, content: string) => ({
    name: 'write_file',
    id: `write_${file_path}`,
    args: { file_path, content },
  })
  const subAgent = (name: string): Script => [
    {
      toolCalls: [
        write(`${name}-1.md`, `${name} one`),
        { name: 'note', id: `n_${name}`, args: { what: name } },
      ],
    },
    {
      toolCalls: [
        {
          name: 'edit_file',
          id: `e_${name}`,
          args: { file_path: 'shared.md', old_string: name, new_string: name.toUpperCase() },
        },
      ],
    },
    { toolCalls: [write(`${name}-2.md`, `${name} two`)] },
    { text: `${name} is done`, delayMs: 2 },
  ]
  const task = (name: string) => ({
    name: 'task',
    id: `task_${name}`,
    args: { description: name, subagent_type: 'general-purpose' },
  })
  const main: Script = [
    { text: 'I hand it out', toolCalls: [task('alpha'), task('beta')] },
    { toolCalls: [write('main.md', 'main')] },
    { text: 'all done', delayMs: 2 },
  ]
  const scripts: Readonly<Record<string, Script>> = {
    go: main,
    alpha: subAgent('alpha'),
    beta: subAgent('beta'),
  }
  const model = scriptedModel(({ messages, turn }) => {
    const asked = messages.find((message) => message.getType() === 'human')?.text ?? ''
    const script = scripts[asked]
    if (!Array.isArray(script)) throw new Error(`No script for "${asked}".`)
    return script[turn]
  })
  return createDeepAgent({ instructions: 'You delegate.', model, tools: [note], name: 'deep' })
}

function fanOutGraph() {
  const State = Annotation.Root({
    ...MessagesAnnotation.spec,
    leaves: Annotation<number[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  })
  const lookup = tool(
    async ({ n }: { n: number }, config: RunnableConfig) => {
      await sleep(5 * n)
      doEffect('fan-out', `lookup ${n}`, config)
      return `looked up ${n}`
    },
    { name: 'lookup', description: 'Looks something up.', schema: z.object({ n: z.number() }) },
  )
  const toolCalls = LOOKUPS.map((n) => ({
    name: 'lookup',
    args: { n },
    id: `lookup_${n}`,
    type: 'tool_call' as const,
  }))
  return new StateGraph(State)
    .addNode('leaf', async ({ leaf }: { leaf: number }, config: RunnableConfig) => {
      await sleep(10 + 15 * leaf)
      doEffect('fan-out', `leaf ${leaf}`, config)
      return { leaves: [leaf] }
    })
    .addNode('ask', () => ({ messages: [new AIMessage({ id: 'ask', content: '', tool_calls: toolCalls })] }))
    .addNode('tools', new ToolNode([lookup]))
    .addConditionalEdges(START, () => LEAVES.map((leaf) => new Send('leaf', { leaf })), ['leaf'])
    .addEdge('leaf', 'ask')
    .addEdge('ask', 'tools')
    .addEdge('tools', END)
    .compile()
}

function counterGraph() {
  const State = Annotation.Root({
    n: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
  })
  return new StateGraph(State)
    .addNode('step', async ({ n }, config: RunnableConfig) => {
      doEffect('counter', `step ${n}`, config)
      await sleep(5)
      return { n: 1 }
    })
    .addEdge(START, 'step')
    .addConditionalEdges('step', ({ n }) => (n < COUNT ? 'step' : END))
    .compile()
}

function longToolGraph() {
  const long = tool(
    async (_args: object, config: RunnableConfig) => {
      doEffect('long-tool', 'begun', config)
      await sleep(600)
      doEffect('long-tool', 'done', config)
      return 'took long'
    },
    { name: 'long', description: 'Takes long.', schema: z.object({}) },
  )
  const model = scriptedModel([
    { toolCalls: [{ name: 'long', args: {} }] },
    { text: 'that took long', delayMs: 2 },
  ])
  const bound = model.bindTools([long])
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', async (state) => ({ messages: [await bound.invoke(state.messages)] }))
    .addNode('tools', new ToolNode([long]))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', ({ messages }) => (messages.length < 3 ? 'tools' : END))
    .addEdge('tools', 'agent')
    .compile()
}
