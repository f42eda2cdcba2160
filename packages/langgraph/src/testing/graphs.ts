import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { createMiddleware, ToolMessage } from 'langchain'
import {
  Annotation,
  Command,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { type Script, type ScriptedChatModel, scriptedModel } from './index.ts'

const State = Annotation.Root({ ...MessagesAnnotation.spec, notes: Annotation<string[]>() })

const speak = (model: ScriptedChatModel) => async (state: typeof State.State) => ({
  messages: [await model.invoke(state.messages)],
})

/** A graph of one node that is itself a graph of one node that calls a model. */
export function nestedGraph(script: Script = [{ text: 'deep thought' }]) {
  const deep = new StateGraph(State)
    .addNode('think', speak(scriptedModel(script, { name: 'deep-model' })))
    .addEdge(START, 'think')
    .addEdge('think', END)
    .compile({ name: 'deep' })
  const research = new StateGraph(State)
    .addNode('plan', () => ({ notes: ['plan'] }))
    .addNode('deep', deep)
    .addEdge(START, 'plan')
    .addEdge('plan', 'deep')
    .addEdge('deep', END)
    .compile({ name: 'research' })
  return new StateGraph(State)
    .addNode('research', research)
    .addEdge(START, 'research')
    .addEdge('research', END)
    .compile({ name: 'nested' })
}

const goal = z.object({ goal: z.string() })

/** Looks something up, in pieces. */
export const search = tool(
  async function* ({ q }: { q: string }) {
    yield `looking for ${q}`
    return `result for ${q}`
  },
  { name: 'search', description: 'looks something up', schema: z.object({ q: z.string() }) },
)

/** Asks a human in the middle of its work. */
export const approve = tool(
  async ({ q }: { q: string }) => `they said ${JSON.stringify(interrupt({ about: q }))}`,
  {
    name: 'approve',
    description: 'asks a human',
    schema: z.object({ q: z.string() }),
  },
)

export const broken = tool(
  async () => {
    throw new TypeError('the disk is full')
  },
  { name: 'broken', description: 'always fails', schema: z.object({}) },
)

/** The loop of model and tools, with LangGraph's plain ToolNode: parallel calls share one task and one namespace. */
export function loopGraph(script: Script, tools: ConstructorParameters<typeof ToolNode>[0], name = 'main') {
  const model = scriptedModel(script, { name: `${name}-model` })
  return new StateGraph(State)
    .addNode('agent', speak(model))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition)
    .addEdge('tools', 'agent')
    .compile({ name })
}

const plan = z.object({
  todos: z.array(z.object({ content: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) })),
})

const writeTodos = tool(
  ({ todos }: z.infer<typeof plan>, config: { toolCall?: { id?: string } }) =>
    new Command({
      update: {
        todos,
        messages: [new ToolMessage({ content: 'planned', tool_call_id: config.toolCall?.id ?? '' })],
      },
    }),
  { name: 'write_todos', description: 'makes a plan', schema: plan },
)

/** A plan in the state, written by a tool. */
export const planning = createMiddleware({
  name: 'planning',
  stateSchema: z.object({ todos: plan.shape.todos.optional() }),
  tools: [writeTodos],
})

/** A `task` tool that hands its goal to another loop. The helper answers by the goal. */
export function taskTool(
  helper: (goal: string) => Script,
  tools: Parameters<typeof loopGraph>[1] = [search],
) {
  return tool(
    async ({ goal }: { goal: string }, config: LangGraphRunnableConfig) => {
      const messages = [{ role: 'user', content: goal }]
      const state = await loopGraph(helper(goal), tools, 'helper').invoke({ messages }, config)
      return state.messages.at(-1)?.text ?? ''
    },
    { name: 'task', description: 'hands work to a helper', schema: goal },
  )
}

/** Two helpers at once, each with a tool call of its own. */
export function parallelGraph() {
  const helper = (goal: string): Script => [
    { text: `${goal} begins`, toolCalls: [{ id: `search_${goal}`, name: 'search', args: { q: goal } }] },
    { text: `${goal} is done` },
  ]
  const script: Script = [
    {
      toolCalls: [
        { id: 'task_a', name: 'task', args: { goal: 'alpha' } },
        { id: 'task_b', name: 'task', args: { goal: 'beta' } },
      ],
    },
    { text: 'both are done' },
  ]
  return loopGraph(script, [taskTool(helper)])
}

/** A node that throws after its model has spoken. */
export function throwingGraph() {
  const model = scriptedModel([{ text: 'so far so good' }])
  return new StateGraph(State)
    .addNode('boom', async (state) => {
      await model.invoke(state.messages)
      throw new RangeError('the node gave up')
    })
    .addEdge(START, 'boom')
    .compile({ name: 'thrower' })
}
