import type { Envelope } from '@clewline/core'
import { createDeepAgent } from 'deepagents'
import { fromGraph, type FromGraphOptions } from '../index.ts'
import { recordRun, scriptedModel } from './index.ts'
import {
  approve,
  broken,
  loopGraph,
  nestedGraph,
  parallelGraph,
  planning,
  search,
  taskTool,
  throwingGraph,
} from './graphs.ts'

const asked = { kind: 'input', input: { messages: [{ role: 'user', content: 'hi' }] } } as const

type Scenario = (options?: FromGraphOptions) => Promise<readonly Envelope[]>

/** Runs worth looking at. Each is a golden file; `npm run goldens` records them anew. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  async nested(options) {
    return (await recordRun(fromGraph(nestedGraph(), options), asked)).envelopes
  },

  async 'parallel-subagents'(options) {
    return (await recordRun(fromGraph(parallelGraph(), options), asked)).envelopes
  },

  async 'interrupt-and-resume'(options) {
    const helper = [
      { toolCalls: [{ id: 'ask_1', name: 'approve', args: { q: 'lunch' } }] },
      { text: 'helped' },
    ]
    const graph = loopGraph(
      [{ toolCalls: [{ id: 'task_1', name: 'task', args: { goal: 'eat' } }] }, { text: 'thanks' }],
      [taskTool(() => helper, [approve])],
    )
    const paused = await recordRun(fromGraph(graph, options), asked)
    return (await paused.next({ kind: 'resume', answers: [{ value: { ok: true } }] })).envelopes
  },

  async 'tool-failure'(options) {
    const graph = loopGraph(
      [{ toolCalls: [{ id: 'b1', name: 'broken', args: {} }] }, { text: 'it is broken' }],
      [broken, search],
    )
    return (await recordRun(fromGraph(graph, options), asked)).envelopes
  },

  async 'model-failure'(options) {
    const graph = nestedGraph([{ text: 'half an', error: 'the provider is down' }])
    return (await recordRun(fromGraph(graph, options), asked)).envelopes
  },

  async 'thrown-node'(options) {
    return (await recordRun(fromGraph(throwingGraph(), options), asked)).envelopes
  },

  async cancel(options) {
    const cancel = new AbortController()
    const graph = nestedGraph([{ text: ['one ', 'two ', 'three ', 'four'], delayMs: 20 }])
    let heard = 0
    const recording = await recordRun(fromGraph(graph, options), asked, {
      signal: cancel.signal,
      onEnvelope: ({ type }) => {
        if (type === 'llm_token' && ++heard === 2) cancel.abort()
      },
    })
    return recording.envelopes
  },

  async deepagents(options) {
    const agent = createDeepAgent({
      name: 'deep',
      middleware: [planning],
      model: scriptedModel(({ messages, turn }) => {
        const isHelper = messages.some((message) => message.text.includes('count the sheep'))
        if (isHelper && turn === 0)
          return {
            toolCalls: [{ id: 'w1', name: 'write_file', args: { file_path: '/sheep.md', content: 'three' } }],
          }
        if (isHelper) return { text: 'there are three' }
        if (turn === 0)
          return {
            text: 'I make a plan',
            toolCalls: [
              {
                id: 't1',
                name: 'write_todos',
                args: { todos: [{ content: 'count', status: 'in_progress' }] },
              },
            ],
          }
        if (turn === 1)
          return {
            toolCalls: [
              {
                id: 's1',
                name: 'task',
                args: { description: 'count the sheep', subagent_type: 'general-purpose' },
              },
            ],
          }
        return { text: 'three sheep' }
      }),
    })
    return (await recordRun(fromGraph(agent, options), asked)).envelopes
  },
}
