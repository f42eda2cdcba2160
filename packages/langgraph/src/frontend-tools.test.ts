import { verify } from '@clewline/core/check'
import { createAgent } from 'langchain'
import { describe, expect, test } from 'vitest'
import { frontendTools } from './frontend-tools.ts'
import { search } from './testing/graphs.ts'
import { fromGraph } from './index.ts'
import { recordRun, scriptedModel, story } from './testing/index.ts'

const paint = {
  name: 'paint',
  description: 'paints the page',
  parameters: { type: 'object', properties: { colour: { type: 'string' } } },
}
const hi = { kind: 'input', input: { messages: [{ role: 'user', content: 'hi' }] }, tools: [paint] } as const

const agent = createAgent({
  name: 'main',
  model: scriptedModel(({ messages, turn, tools }) => {
    if (turn === 0)
      return {
        text: tools.join(','),
        toolCalls: [
          { id: 'p1', name: 'paint', args: { colour: 'red' } },
          { id: 's1', name: 'search', args: { q: 'red' } },
        ],
      }
    const results = messages.filter((message) => message.getType() === 'tool')
    return { text: results.map((message) => message.text).join(' and ') }
  }),
  tools: [search],
  middleware: [frontendTools()],
})

describe('a tool that the client runs', () => {
  test('reaches the model, ends the run when it is called, and is answered in the next one', async () => {
    const source = fromGraph(agent)
    const first = await recordRun(source, hi)
    expect(first.outcome).toEqual({ status: 'success' })
    expect(verify(first.envelopes)).toEqual([])
    expect(story(first.envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main/scripted: model starts
      main/scripted: says "search,paint"
      main/scripted: calls paint {"colour":"red"}
      main/scripted: calls search {"q":"red"}
      main/scripted: ends tool_calls
      main/paint: tool starts {"colour":"red"}
      main/paint: ends pending_frontend
      main/search: tool starts {"q":"red"}
      main/search: updates {"text":"looking for red"}
      main/search: ends ok "result for red"
      main: ends ok"
    `)
    const painted = { role: 'tool', content: 'red now', tool_call_id: 'p1', name: 'paint' }
    const second = await recordRun(
      source,
      { ...hi, input: { messages: [painted] } },
      { thread_id: first.thread_id },
    )
    expect(story(second.envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main/scripted: model starts
      main/scripted: says "result for red and red now"
      main/scripted: ends stop
      main: ends ok"
    `)
  })

  test('that the user talks past does not block the thread', async () => {
    const source = fromGraph(agent)
    const { thread_id } = await recordRun(source, hi)
    const next = await recordRun(source, hi, { thread_id })
    expect(next.outcome).toEqual({ status: 'success' })
    expect(story(next.envelopes)).toContain('The user did not run this')
  })

  test('is not there in a run that brings none', async () => {
    const { tools: _none, ...plain } = hi
    const run = await recordRun(fromGraph(agent), plain)
    expect(story(run.envelopes)).toContain('main/scripted: says "search"')
  })
})
