import { interrupt } from '@langchain/langgraph'
import { verify } from '@clewline/core/check'
import { createAgent, tool } from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fromGraph } from './index.ts'
import { scriptedModel } from './testing/index.ts'
import { recordRun } from './testing/record-run.ts'
import { story } from './testing/story.ts'

const hi = { kind: 'input', input: { messages: [{ role: 'user', content: 'hi' }] } } as const
const query = z.object({ q: z.string() })

describe('an agent with tools', () => {
  const search = tool(
    async function* ({ q }: { q: string }) {
      yield 'looking'
      yield { percent: 50 }
      return `found ${q}`
    },
    { name: 'search', description: 'looks', schema: query },
  )
  const confirm = tool(async ({ q }: { q: string }) => `human: ${interrupt({ sure: q })}`, {
    name: 'confirm',
    description: 'asks',
    schema: query,
  })
  const agent = createAgent({
    name: 'main',
    model: scriptedModel([
      {
        reasoning: 'hm',
        text: 'let me look',
        toolCalls: [
          { id: 'c1', name: 'search', args: { q: 'cats' } },
          { id: 'c2', name: 'confirm', args: { q: 'dogs' } },
        ],
      },
      { text: 'all done' },
    ]),
    tools: [search, confirm],
  })

  test('pauses at the tool that asked and goes on there', async () => {
    const paused = await recordRun(fromGraph(agent), hi)
    expect(verify(paused.envelopes)).toEqual([])
    expect(paused.outcome).toMatchObject({
      status: 'interrupted',
      interrupts: [{ value: { sure: 'dogs' }, tool_call_id: 'c2' }],
    })
    const resumed = await paused.next({ kind: 'resume', answers: [{ value: 'yes' }] })
    expect(verify(resumed.envelopes)).toEqual([])
    expect(resumed.outcome).toEqual({ status: 'success' })
    expect(story(resumed.envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main/scripted: model starts
      main/scripted: reasons "hm"
      main/scripted: says "let me look"
      main/scripted: calls search {"q":"cats"}
      main/scripted: calls confirm {"q":"dogs"}
      main/scripted: ends tool_calls
      main/search: tool starts {"q":"cats"}
      main/confirm: tool starts {"q":"dogs"}
      main/search: updates {"text":"looking"}
      main/search: updates {"data":{"percent":50}}
      main/search: ends ok "found cats"
      main/confirm: asks {"sure":"dogs"}
      main: goes on
      main: updates {"data":{"node":"tools","cached":true,"update":{"messages":[{"type":"tool","content":"found cats","name":"search","status":"success","tool_call_id":"c1","metadata":{"versions":{"@langchain/core":"1.2.13"}}}]}}} (replay)
      main/confirm: goes on
      main/confirm: ends ok "human: yes"
      main/scripted: model starts
      main/scripted: says "all done"
      main/scripted: ends stop
      main: ends ok"
    `)
  })
})
