import { HumanMessage, type BaseMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ReducedValue, StateSchema } from '@langchain/langgraph'
import { createMiddleware, providerStrategy, toolStrategy } from 'langchain'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { createDeepAgent } from './create-deep-agent.ts'
import type { Todo } from './deep-agent-state.ts'
import type { Files } from './file-operation.ts'

const messages = [new HumanMessage('go')]

// What every deep agent has.
const plain = createDeepAgent({ instructions: '' })
const state = await plain.invoke({ messages, files: { 'a.md': 'x', 'b.md': null } })
expectTypeOf(state.messages).toEqualTypeOf<BaseMessage[]>()
expectTypeOf(state.todos).toEqualTypeOf<Todo[]>()
expectTypeOf(state.files).toEqualTypeOf<Files>()
// @ts-expect-error there is no structured response without a format
void state.structuredResponse
// @ts-expect-error files are texts
void plain.invoke({ messages, files: { 'a.md': 3 } })
// @ts-expect-error no such key of the input
void plain.invoke({ messages, filez: {} })
// @ts-expect-error no such status
void plain.invoke({ messages, todos: [{ content: 'x', status: 'done' }] })

// Your own state, by both kinds of schema.
const counted = createDeepAgent({
  instructions: '',
  stateSchema: new StateSchema({
    seen: new ReducedValue(z.array(z.string()).default([]), { reducer: (a, b) => [...a, ...b] }),
    customer: z.string(),
  }),
})
const counts = await counted.invoke({ messages, seen: ['a'], customer: 'ACME' })
expectTypeOf(counts.seen).toEqualTypeOf<string[]>()
expectTypeOf(counts.customer).toEqualTypeOf<string>()
// @ts-expect-error a customer is a text
void counted.invoke({ messages, customer: 3 })

const zodState = createDeepAgent({
  instructions: '',
  stateSchema: z.object({ count: z.number().default(0) }),
})
expectTypeOf((await zodState.invoke({ messages, count: 1 })).count).toEqualTypeOf<number>()
// @ts-expect-error a count is a number
void zodState.invoke({ messages, count: 'one' })

// State of a middleware.
const withMiddleware = createDeepAgent({
  instructions: '',
  middleware: [createMiddleware({ name: 'M', stateSchema: z.object({ budget: z.number().default(1) }) })],
})
expectTypeOf((await withMiddleware.invoke({ messages, budget: 2 })).budget).toEqualTypeOf<number>()

// The context.
const asked = createDeepAgent({ instructions: '', contextSchema: z.object({ who: z.string() }) })
void asked.invoke({ messages }, { context: { who: 'me' } })
// @ts-expect-error who is a text
void asked.invoke({ messages }, { context: { who: 3 } })

// The structured response.
const report = z.object({ title: z.string() })
for (const agent of [
  createDeepAgent({ instructions: '', responseFormat: report }),
  createDeepAgent({ instructions: '', responseFormat: toolStrategy(report) }),
  createDeepAgent({ instructions: '', responseFormat: providerStrategy(report) }),
]) {
  expectTypeOf((await agent.invoke({ messages })).structuredResponse).toEqualTypeOf<{ title: string }>()
}

// Mistakes in the options.
// @ts-expect-error no instructions
createDeepAgent({})
// @ts-expect-error no such option
createDeepAgent({ instructions: '', systemPrompt: '' })
// @ts-expect-error a sub-agent needs a prompt
createDeepAgent({ instructions: '', subagents: [{ name: 'a', description: '' }] })
// @ts-expect-error no such option of a sub-agent
createDeepAgent({ instructions: '', subagents: [{ name: 'a', description: '', prompt: '', promt: '' }] })
// @ts-expect-error a bare function is no tool
createDeepAgent({ instructions: '', tools: [() => 'x'] })
// @ts-expect-error a tool by name is for sub-agents
createDeepAgent({ instructions: '', tools: ['search'] })
// @ts-expect-error no model
createDeepAgent({ instructions: '', model: 3 })
createDeepAgent({
  instructions: '',
  tools: [tool(() => 'x', { name: 'x', description: '', schema: z.object({}) })],
  interruptOn: { x: { allowedDecisions: ['approve'] } },
})
// @ts-expect-error no such decision
createDeepAgent({ instructions: '', interruptOn: { ls: { allowedDecisions: ['maybe'] } } })
