import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import type { Envelope } from '@clewline/core'
import { describe, expect, test } from 'vitest'
import { brief, judge } from '../testing/judge.ts'
import { step } from './step.ts'
import { initialState } from './translator-state.ts'

import { envelopes, start, end, llm, say, done, tool, result, update, ask } from '../testing/drafts.ts'
import type { Said } from '../testing/drafts.ts'

function translate(log: readonly Envelope[], version = '1.0', known: readonly string[] = []): Event[] {
  let state = initialState({ thread_id: 't', version, known })
  return log.flatMap((envelope) => {
    const [next, events] = step(state, envelope)
    // What is kept between steps must survive being written down.
    state = JSON.parse(JSON.stringify(next)) as typeof next
    return [...events]
  })
}

describe('sub-agents', () => {
  const delegation: readonly Said[] = [
    start(),
    llm(['a']),
    done(['a'], 'm1', '', ['c1']),
    tool(['c1'], 'c1', 'subagent'),
    llm(['c1', 'l'], 'model'),
    say(['c1', 'l'], 'secret'),
    tool(['c1', 'd'], 'd'),
    update(['c1', 'd'], { text: 'half', delta: { todos: [] } }),
    result(['c1', 'd'], 'found'),
    done(['c1', 'l'], 'm2', 'secret'),
    result(['c1'], { messages: [{ id: 'm2', role: 'assistant', text: 'answer' }], files: {}, usage: {} }),
    end(),
  ]
  const S = envelopes(delegation).find(
    (one) => one.type === 'tool_start' && one.payload.kind === 'subagent',
  )?.call_id

  test('tags everything that a sub-agent does, and gives its answer to the main chat', async () => {
    const events = translate(envelopes(delegation))
    const inside = events.filter((event) => 'subagentRunId' in event)
    expect(brief(events).filter((line) => line.includes('secret'))).toHaveLength(1)
    expect(inside.every((event) => 'subagentRunId' in event && event.subagentRunId === S)).toBe(true)
    expect(brief(events)).toContain('TOOL_RESULT result-c1 c1 answer')
    expect(events.find((event) => event.type === EventType.SUBAGENT_STARTED)).toMatchObject({
      name: 'researcher',
      description: 'Find out',
      parentToolCallId: 'c1',
    })
    await judge(events)
  })

  test.each([
    ['0.0.45', ['ACTIVITY_SNAPSHOT', 'ACTIVITY_DELTA']],
    ['0.0.37', ['CUSTOM', 'CUSTOM']],
  ])('shows a client of %s that a sub-agent works, and nothing of what it says', async (version, kinds) => {
    const events = translate(envelopes(delegation), version)
    expect(JSON.stringify(events)).not.toContain('secret')
    expect(events.map((event) => event.type as string).filter((type) => kinds.includes(type))).toEqual(kinds)
    expect(JSON.stringify(events)).not.toContain('subagentRunId')
    await judge(events)
  })

  test('an interrupted run ends when the next begins, which goes on inside the same sub-agent', async () => {
    const first = envelopes([start(), tool(['c1'], 'c1', 'subagent'), ask(['c1'], 'i1')], 'run-1')
    const second = envelopes(
      [
        { type: 'subgraph_resume', path: ['c1'], payload: { checkpoint_id: 'c', node: 'n' } },
        llm(['c1', 'l']),
        say(['c1', 'l'], 'more'),
        done(['c1', 'l'], 'm', 'more'),
        result(['c1'], 'answer'),
        end(),
      ],
      'run-2',
      first,
    )
    const events = translate([...first, ...second])
    const lines = brief(events)
    expect(lines.slice(0, 7)).toEqual([
      'RUN_STARTED',
      'TOOL_START c1',
      'TOOL_ARGS c1 {"subagent_type":"researcher","description":"Find out"}',
      'TOOL_END c1',
      `SUBAGENT_STARTED researcher @${S}`,
      `SUBAGENT_FINISHED suspended @${S}`,
      'RUN_FINISHED interrupt',
    ])
    expect(lines.slice(7, 10)).toEqual([
      'RUN_STARTED',
      `SUBAGENT_STARTED researcher @${S}`,
      expect.stringContaining('TEXT_START'),
    ])
    expect(events.find((event) => event.type === EventType.RUN_FINISHED)).toMatchObject({
      outcome: { interrupts: [{ id: 'i1', message: 'ok?', subagentRunId: S }] },
    })
    await judge(events)
  })
})
