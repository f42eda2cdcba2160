import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import type { Envelope } from '@clewline/core'
import { createLedger } from '@clewline/core/source'
import type { Draft } from '@clewline/core/source'
import { describe, expect, test } from 'vitest'
import { brief, judge } from '../testing/judge.ts'
import { createTranslator } from './create-translator.ts'
import { step } from './step.ts'
import { initialState } from './translator-state.ts'

import {
  envelopes,
  start,
  end,
  llm,
  say,
  think,
  args,
  done,
  tool,
  result,
  update,
  fail,
  ask,
} from '../testing/drafts.ts'
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

const [root = '', A = '', B = ''] = [[], ['a'], ['b']].map(
  (path) => envelopes([start(), ...(path.length > 0 ? [llm(path)] : [])]).at(-1)?.call_id ?? '',
)

describe('step', () => {
  test.each<[string, readonly Said[], readonly string[]]>([
    [
      'streams text under the id that the message will have, and skips empty pieces',
      [
        start(),
        llm(['a'], 'model'),
        say(['a'], '', 'm1'),
        say(['a'], 'Hel'),
        say(['a'], 'lo'),
        done(['a'], 'm1', 'Hello'),
        end(),
      ],
      [
        'RUN_STARTED',
        'STEP_STARTED model',
        'TEXT_START m1',
        'TEXT_CONTENT m1 Hel',
        'TEXT_CONTENT m1 lo',
        'TEXT_END m1',
        'STEP_FINISHED model',
        'RUN_FINISHED success',
      ],
    ],
    [
      'shows a message whole when the model did not stream',
      [start(), llm(['a']), done(['a'], 'm1', 'Hello', ['c1']), end()],
      [
        'RUN_STARTED',
        'TEXT_START m1',
        'TEXT_CONTENT m1 Hello',
        'TEXT_END m1',
        'TOOL_START c1',
        'TOOL_ARGS c1 {"q":"c1"}',
        'TOOL_END c1',
        'RUN_FINISHED success',
      ],
    ],
    [
      'closes reasoning before the text that it led to',
      [
        start(),
        llm(['a']),
        think(['a'], 'Hm'),
        think(['a'], 'm'),
        say(['a'], 'Yes'),
        done(['a'], A, 'Yes'),
        end(),
      ],
      [
        'RUN_STARTED',
        `REASONING_START reasoning-${A}`,
        `REASONING_START reasoning-${A}`,
        `REASONING_CONTENT reasoning-${A} Hm`,
        `REASONING_CONTENT reasoning-${A} m`,
        `REASONING_END reasoning-${A}`,
        `REASONING_END reasoning-${A}`,
        `TEXT_START ${A}`,
        `TEXT_CONTENT ${A} Yes`,
        `TEXT_END ${A}`,
        'RUN_FINISHED success',
      ],
    ],
    [
      'keeps parallel tool calls apart and ends their arguments before their results',
      [
        start(),
        llm(['a']),
        args(['a'], 'c1', '{"q"'),
        args(['a'], 'c2', '{', 1),
        args(['a'], 'c1', ':1}'),
        args(['a'], 'c2', '}', 1),
        done(['a'], A, '', ['c1', 'c2']),
        tool(['c1'], 'c1'),
        tool(['c2'], 'c2'),
        result(['c2'], 'two'),
        result(['c1'], { n: 1 }),
        end(),
      ],
      [
        'RUN_STARTED',
        'TOOL_START c1',
        'TOOL_ARGS c1 {"q"',
        'TOOL_START c2',
        'TOOL_ARGS c2 {',
        'TOOL_ARGS c1 :1}',
        'TOOL_ARGS c2 }',
        'TOOL_END c1',
        'TOOL_END c2',
        'TOOL_RESULT result-c2 c2 two',
        'TOOL_RESULT result-c1 c1 {"n":1}',
        'RUN_FINISHED success',
      ],
    ],
    [
      'shows a tool call that no model in this stream asked for',
      [start(), tool(['c1'], 'c1'), result(['c1'], 'r'), end()],
      [
        'RUN_STARTED',
        'TOOL_START c1',
        'TOOL_ARGS c1 {}',
        'TOOL_END c1',
        'TOOL_RESULT result-c1 c1 r',
        'RUN_FINISHED success',
      ],
    ],
    [
      'keeps two models that speak at once in two messages, in one step',
      [
        start(),
        llm(['a'], 'n'),
        llm(['b'], 'n'),
        say(['a'], 'a'),
        say(['b'], 'b'),
        say(['a'], 'A'),
        done(['b'], B, 'b'),
        done(['a'], A, 'aA'),
        end(),
      ],
      [
        'RUN_STARTED',
        'STEP_STARTED n',
        `TEXT_START ${A}`,
        `TEXT_CONTENT ${A} a`,
        `TEXT_START ${B}`,
        `TEXT_CONTENT ${B} b`,
        `TEXT_CONTENT ${A} A`,
        `TEXT_END ${B}`,
        `TEXT_END ${A}`,
        'STEP_FINISHED n',
        'RUN_FINISHED success',
      ],
    ],
    [
      'patches the state, making a place for files first',
      [
        start(),
        update([], { delta: { todos: [], state: { 'a/b': 1, messages: [] } } }),
        update([], { delta: { files: { added: { 'x~y': 't' }, removed: ['z'] } } }),
        end(),
      ],
      [
        'RUN_STARTED',
        'STATE_DELTA [{"op":"add","path":"/a~1b","value":1},{"op":"add","path":"/todos","value":[]}]',
        'STATE_DELTA [{"op":"add","path":"/files","value":{}},{"op":"add","path":"/files/x~0y","value":"t"},{"op":"add","path":"/files/z","value":""},{"op":"remove","path":"/files/z"}]',
        'RUN_FINISHED success',
      ],
    ],
    [
      'closes what is open before it tells of a failure',
      [start(), llm(['a'], 'n'), say(['a'], 'Hel'), fail([], 'boom')],
      [
        'RUN_STARTED',
        'STEP_STARTED n',
        `TEXT_START ${A}`,
        `TEXT_CONTENT ${A} Hel`,
        `TEXT_END ${A}`,
        'STEP_FINISHED n',
        'RUN_ERROR',
      ],
    ],
    [
      'brings the final messages when a failed attempt had already said something',
      [
        start(),
        llm(['a']),
        say(['a'], 'Wro'),
        fail(['a'], 'x'),
        llm(['a']),
        say(['a'], 'Right', 'm2'),
        done(['a'], 'm2', 'Right'),
        end([
          { id: 'seen', role: 'user', text: 'x' },
          { id: 'm2', role: 'assistant', text: 'Right' },
        ]),
      ],
      [
        'RUN_STARTED',
        `TEXT_START ${A}`,
        `TEXT_CONTENT ${A} Wro`,
        `TEXT_END ${A}`,
        'TEXT_START m2',
        'TEXT_CONTENT m2 Right',
        'TEXT_END m2',
        'MESSAGES_SNAPSHOT',
        'RUN_FINISHED success',
      ],
    ],
    [
      'brings messages that a node made without a model',
      [start(), end([{ id: 'm1', role: 'assistant', text: 'Made' }])],
      ['RUN_STARTED', 'TEXT_START m1', 'TEXT_CONTENT m1 Made', 'TEXT_END m1', 'RUN_FINISHED success'],
    ],
    [
      'shows what started the run to a client that does not have it',
      [
        start({
          messages: [
            { id: 'u1', role: 'user', content: 'Hi' },
            { id: 'seen', role: 'user', content: 'x' },
          ],
        }),
        end(),
      ],
      ['RUN_STARTED', 'TEXT_START u1', 'TEXT_CONTENT u1 Hi', 'TEXT_END u1', 'RUN_FINISHED success'],
    ],
    [
      'has no result for a tool that the client must run',
      [start(), tool(['c1'], 'c1'), result(['c1'], null, 'pending_frontend'), end()],
      ['RUN_STARTED', 'TOOL_START c1', 'TOOL_ARGS c1 {}', 'TOOL_END c1', 'RUN_FINISHED success'],
    ],
    [
      'tells of warnings',
      [start(), { type: 'warning', path: [], payload: { code: 'slow', message: 'x' } }, end()],
      ['RUN_STARTED', 'CUSTOM warning', 'RUN_FINISHED success'],
    ],
  ])('%s', async (_name, drafts, expected) => {
    const events = translate(envelopes(drafts), '1.0', ['seen'])
    expect(brief(events)).toEqual(expected)
    await judge(events)
  })

  test('clients before 1.0 are asked as LangGraph asks', () => {
    const translator = createTranslator({ thread_id: 't' })
    const events = envelopes([start(), ask([], 'i1')]).flatMap((envelope) => [...translator.push(envelope)])
    events.push(...translator.end({ status: 'interrupted' }))
    expect(events.find((event) => event.type === EventType.CUSTOM)).toMatchObject({
      name: 'on_interrupt',
      value: '{"question":"ok?"}',
    })
    expect(events.at(-1)).not.toHaveProperty('usage')
    expect(events[0]).not.toHaveProperty('protocolVersion')
  })

  test('sums usage by model', () => {
    const events = translate(
      envelopes([start(), llm(['a']), done(['a'], 'm1'), llm(['b']), done(['b'], 'm2'), end()]),
    )
    expect(events.at(-1)).toMatchObject({ usage: [{ model: 'm', inputTokens: 6, outputTokens: 4 }] })
  })

  test('the end of an abandoned trace is not the end of the run that abandoned it', () => {
    const old = envelopes([start(), ask([], 'i1')], 'run-1')
    const closing = createLedger({ trace_id: 'trace', run_id: 'run-2', history: old }).close({
      status: 'cancelled',
    })
    const fresh = createLedger({ trace_id: 'trace-2', run_id: 'run-2' })
    const log = [...closing, ...fresh.stamp({ ...start(), agent: 'agent' } as Draft)]
    expect(brief(translate(log))).toEqual(['RUN_STARTED'])
    expect(root).not.toBe('')
  })
})
