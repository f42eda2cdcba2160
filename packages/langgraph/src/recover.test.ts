import { MemorySaver } from '@langchain/langgraph'
import { type Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { describe, expect, test } from 'vitest'
import { approve, loopGraph, nestedGraph, search, taskTool } from './testing/graphs.ts'
import { fromGraph } from './index.ts'
import { recordRun, story } from './testing/index.ts'

const hi = { kind: 'input', input: { messages: [{ role: 'user', content: 'hi' }] } } as const

const starts = (name: string) => (envelope: Envelope) =>
  envelope.type === 'tool_start' && envelope.payload.tool_name === name

describe('a run whose process died', () => {
  test('goes on from its last checkpoint with the same calls, and what ran again is an attempt', async () => {
    const helper = [{ toolCalls: [{ id: 's1', name: 'search', args: { q: 'x' } }] }, { text: 'helped' }]
    const graph = loopGraph(
      [{ toolCalls: [{ id: 't1', name: 'task', args: { goal: 'x' } }] }, { text: 'done' }],
      [taskTool(() => helper)],
    )
    const died = await recordRun(fromGraph(graph), hi, { diesAt: starts('search') })
    expect(died.outcome).toEqual({ status: 'died' })
    const recovered = await died.next({ kind: 'recover' })
    expect(recovered.outcome).toEqual({ status: 'success' })
    expect(verify(recovered.envelopes)).toEqual([])
    expect(story(recovered.envelopes, died.envelopes.length)).toMatchInlineSnapshot(`
      "main: goes on
      main/task: goes on
      main/task/search: tool starts {"q":"x"} (attempt 2)
      main/task/search: updates {"text":"looking for x"}
      main/task/search: ends ok "result for x"
      main/task/helper-model: model starts
      main/task/helper-model: says "helped"
      main/task/helper-model: ends stop
      main/task: ends ok
      main/main-model: model starts
      main/main-model: says "done"
      main/main-model: ends stop
      main: ends ok"
    `)
  })

  test('runs a model again as the next attempt of the same call', async () => {
    const graph = nestedGraph()
    const died = await recordRun(fromGraph(graph), hi, { diesAt: ({ type }) => type === 'llm_token' })
    const recovered = await died.next({ kind: 'recover' })
    expect(verify(recovered.envelopes)).toEqual([])
    expect(story(recovered.envelopes, died.envelopes.length)).toMatchInlineSnapshot(`
      "nested: goes on
      nested/research: goes on
      nested/research/deep: goes on
      nested/research/deep/deep-model: model starts (attempt 2)
      nested/research/deep/deep-model: says "deep thought"
      nested/research/deep/deep-model: ends stop
      nested/research/deep: ends ok
      nested/research: updates {"delta":{"state":{"notes":["plan"]}}}
      nested/research: ends ok
      nested: updates {"delta":{"state":{"notes":["plan"]}}}
      nested: ends ok"
    `)
  })

  test('says so when nothing of it was saved', async () => {
    const source = fromGraph(nestedGraph())
    const thread_id = 'reused'
    await recordRun(source, hi, { thread_id })
    const never = recordRun(source, { kind: 'recover' }, { thread_id })
    await expect(never).rejects.toThrow('died before anything of it was saved')
  })

  test('says so too when only the run before it on the trace saved something: the answer would be lost', async () => {
    const graph = loopGraph(
      [{ toolCalls: [{ id: 'a1', name: 'approve', args: { q: 'x' } }] }, { text: 'thanks' }],
      [approve],
    )
    const paused = await recordRun(fromGraph(graph), hi)
    const resume = { kind: 'resume', answers: [{ value: 'yes' }] } as const
    const died = await paused.next(resume, { diesAt: ({ type }) => type === 'subgraph_resume' })
    const never = died.next({ kind: 'recover' })
    await expect(never).rejects.toThrow('died before anything of it was saved')
  })

  test('goes on from a store of before runs were marked, where only the trace is known', async () => {
    const source = fromGraph(nestedGraph())
    const checkpointer = new MemorySaver()
    const died = await recordRun(source, hi, { checkpointer, diesAt: ({ type }) => type === 'llm_token' })
    const { run_id, thread_id } = died
    const trace_id = died.envelopes[0]!.trace_id
    const saved = await checkpointer.getTuple({ configurable: { thread_id, checkpoint_ns: '' } })
    const { clewline_run_id: _mark, ...metadata } = Object.assign({ clewline_run_id: '' }, saved!.metadata)
    const older = Object.assign(metadata, { clewline_trace_id: trace_id })
    await checkpointer.put(
      saved!.parentConfig ?? { configurable: { thread_id, checkpoint_ns: '' } },
      saved!.checkpoint,
      older,
    )
    const context = { thread_id, checkpointer }
    expect(await source.hasSaved?.({ run_id, trace_id }, context)).toBeUndefined()
    expect(await source.hasSaved?.({ run_id, trace_id: 'another' }, context)).toBe(false)
    const recovered = await died.next({ kind: 'recover' })
    expect(recovered.outcome).toEqual({ status: 'success' })
  })

  test('goes on although its thread was written to meanwhile', async () => {
    const source = fromGraph(
      loopGraph(
        [{ toolCalls: [{ id: 's1', name: 'search', args: { q: 'x' } }] }, { text: 'done' }],
        [search],
      ),
    )
    const died = await recordRun(source, hi, { diesAt: starts('search') })
    const { thread_id } = died
    const note = { messages: [{ role: 'user', content: 'by the way' }] }
    await source.update?.(note, { thread_id, checkpointer: undefined })
    const recovered = await died.next({ kind: 'recover' })
    expect(recovered.outcome).toEqual({ status: 'success' })
    expect(verify(recovered.envelopes)).toEqual([])
  })
})

describe('a run that drains', () => {
  test('stops at the next step and is taken up from there', async () => {
    const drain = new AbortController()
    const graph = loopGraph(
      [{ toolCalls: [{ id: 's1', name: 'search', args: { q: 'a' } }] }, { text: 'done' }],
      [search],
    )
    const drained = await recordRun(fromGraph(graph), hi, {
      drain: drain.signal,
      onEnvelope: ({ type }) => {
        if (type === 'llm_end') drain.abort()
      },
    })
    expect(drained.outcome).toEqual({ status: 'drained' })
    const recovered = await drained.next({ kind: 'recover' })
    expect(recovered.outcome).toEqual({ status: 'success' })
    expect(verify(recovered.envelopes)).toEqual([])
    expect(story(recovered.envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main/main-model: model starts
      main/main-model: calls search {"q":"a"}
      main/main-model: ends tool_calls
      main: goes on
      main/search: tool starts {"q":"a"}
      main/search: updates {"text":"looking for a"}
      main/search: ends ok "result for a"
      main/main-model: model starts
      main/main-model: says "done"
      main/main-model: ends stop
      main: ends ok"
    `)
  })

  test('also inside a sub-graph, and sub-graphs go on where they were', async () => {
    const drain = new AbortController()
    const drained = await recordRun(fromGraph(nestedGraph()), hi, {
      drain: drain.signal,
      onEnvelope: ({ type, agent }) => {
        if (type === 'subgraph_checkpoint' && agent === 'research') drain.abort()
      },
    })
    expect(drained.outcome).toEqual({ status: 'drained' })
    const recovered = await drained.next({ kind: 'recover' })
    expect(verify(recovered.envelopes)).toEqual([])
    expect(story(recovered.envelopes, drained.envelopes.length)).toMatchInlineSnapshot(`
      "nested: goes on
      nested/research: goes on
      nested/research: updates {"delta":{"state":{"notes":["plan"]}}}
      nested/research/deep: subgraph starts
      nested/research/deep/deep-model: model starts
      nested/research/deep/deep-model: says "deep thought"
      nested/research/deep/deep-model: ends stop
      nested/research/deep: ends ok
      nested/research: ends ok
      nested: updates {"delta":{"state":{"notes":["plan"]}}}
      nested: ends ok"
    `)
  })
})
