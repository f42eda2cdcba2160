import type { Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { parseEnvelope } from '@clewline/core/read'
import type { Draft } from '@clewline/core/source'
import { expect, test } from 'vitest'
import { redactEnvelopes } from './redact-envelopes.ts'
import { redactRun } from './redact-run.ts'
import { redactSecrets } from './redact-secrets.ts'
import { createRedaction } from './redaction.ts'

const MAIL = 'ada@example.org'
const at = { path: ['m'], agent: 'a' }
const head = {
  ts: 1,
  trace_id: 't',
  run_id: 'r',
  call_id: 'c',
  parent_id: null,
  seq: 1,
  origin: 'live',
  agent: 'a',
}
const content = [{ type: 'text', text: MAIL }]
const tool_calls = [{ id: '1', name: 'mail', args: { to: MAIL } }]
const completion = {
  messages: [{ id: '1', role: 'assistant', text: MAIL, reasoning: MAIL, content, tool_calls }],
  files: { [MAIL]: MAIL },
  usage: {},
  output: { to: [MAIL] },
}

/** Each type of envelope with an address wherever a value may stand. */
const PAYLOADS: Readonly<Record<Envelope['type'], unknown>> = {
  tool_start: {
    tool_name: 'x',
    kind: 'graph',
    input: MAIL,
    args: MAIL,
    meta: { tool_call_id: 'i', to: MAIL },
    config: { tags: [MAIL] },
    context: { to: MAIL },
  },
  tool_update: {
    tool_name: 'x',
    text: MAIL,
    data: MAIL,
    delta: {
      todos: [{ content: MAIL, status: 'pending' }],
      files: { added: { [MAIL]: MAIL }, changed: { [MAIL]: MAIL }, removed: [MAIL] },
      state: { [MAIL]: MAIL },
    },
  },
  tool_end: { tool_name: 'x', status: 'ok', result: completion, raw: { content: MAIL } },
  llm_start: {
    model: 'x',
    params: { stop: MAIL },
    input: {
      messages: [{ type: 'human', content, name: MAIL }],
      tools: [{ description: MAIL }],
      tool_choice: MAIL,
      response_format: { to: MAIL },
    },
  },
  llm_token: { text: MAIL },
  llm_end: {
    usage: {},
    finish_reason: 'stop',
    message: { id: '1', text: MAIL, reasoning: MAIL, content, tool_calls },
    raw: { type: 'ai', content: MAIL, additional_kwargs: { to: MAIL } },
  },
  subgraph_checkpoint: {
    checkpoint_id: 'x',
    node: 'x',
    state_digest: 'x',
    interrupts: [{ id: 'x', value: { to: MAIL } }],
  },
  subgraph_resume: {
    checkpoint_id: 'x',
    node: 'x',
    answers: [{ interrupt_id: 'x', value: MAIL, by: null, at: 1 }],
  },
  warning: { code: 'x', message: MAIL, to: [MAIL] },
  error: { name: 'x', message: MAIL, stack: MAIL, class: 'Error', fields: { to: MAIL } },
}

const redactors = {
  ready: redactSecrets,
  'one that replaces whole values': () => '[redacted: all]',
  'one that gives null': () => null,
  'one that throws': () => {
    throw new Error('no')
  },
}

test.each(
  Object.entries(PAYLOADS).flatMap(([type, payload]) =>
    Object.entries(redactors).map(([name, redact]) => ({ type, payload, name, redact })),
  ),
)('every value of $type is redacted, by $name, and the shape stays', ({ type, payload, redact }) => {
  const parsed = parseEnvelope({ type, ...head, payload })
  if (!('envelope' in parsed)) throw new Error(parsed.problem)
  const { said } = createRedaction(redact).said(parsed.envelope)
  const recorded = JSON.stringify(said)
  expect(recorded).not.toContain(MAIL)
  expect(parseEnvelope(JSON.parse(recorded))).toHaveProperty('envelope')
  if (redact === redactSecrets) expect(said.payload).toHaveProperty('redacted.email')
})

test('a message that is sent again is redacted once, and is the same object', () => {
  let times = 0
  const redaction = createRedaction((value, context) => ((times += 1), redactSecrets(value, context)))
  const messages = [{ type: 'human', content: MAIL }]
  const call = (): Draft =>
    redaction.said<Draft>({
      ...at,
      type: 'llm_start',
      payload: { model: 'm', params: {}, input: { messages } },
    }).said
  const [first, second] = [call(), call()].map(
    ({ payload }) => Reflect.get(Reflect.get(payload, 'input'), 'messages')[0],
  )
  expect(first).toBe(second)
  expect(times).toBe(3)
})

const token = (text: string): Draft => ({ ...at, type: 'llm_token', payload: { text } })
const texts = (said: readonly Pick<Draft, 'payload'>[]): string =>
  said
    .flatMap(({ payload }) => ('text' in payload && typeof payload.text === 'string' ? payload.text : []))
    .join('')

test('what is held of a call is recorded before its end, and of the calls below one that ends', () => {
  const run = redactRun(createRedaction(redactSecrets))
  expect(['write to ada', '@exam', 'ple.org'].flatMap((text) => run.admit(token(text)))).toEqual([])
  const ended = run.admit({
    ...at,
    path: [],
    type: 'error',
    payload: { name: 'x', message: 'm', stack: '', class: 'E' },
  })
  expect(ended.map(({ type }) => type)).toEqual(['llm_token', 'error'])
  expect(ended[0]).toMatchObject({ payload: { text: 'write to [redacted: email]', redacted: { email: 1 } } })
})

test('updates keep everything but their text, which is held', () => {
  const run = redactRun(createRedaction(redactSecrets))
  const update = (payload: object): Draft => ({
    ...at,
    type: 'tool_update',
    payload: { tool_name: 'x', ...payload },
  })
  expect(run.admit(update({ text: 'ada@', progress: { done: 1 } }))).toEqual([
    update({ progress: { done: 1 } }),
  ])
  expect(texts([...run.admit(update({ text: 'example.org' })), ...run.flush([])])).toBe('[redacted: email]')
})

test('a function that throws is said once in a run, as a warning', () => {
  const run = redactRun(createRedaction(redactors['one that throws']))
  const draft: Draft = { ...at, type: 'tool_update', payload: { tool_name: 'x', data: 1 } }
  expect(run.admit(draft)).toMatchObject([
    { payload: { data: '[redacted: error]' } },
    { type: 'warning', payload: { code: 'redact-failed' } },
  ])
  expect(run.admit(draft)).toHaveLength(1)
})

test('a function that gives a promise is one that fails', () => {
  const late = Object.assign(() => Promise.resolve('tea')) as unknown as typeof redactSecrets
  expect(createRedaction(late).text('tea', 'title', null)).toBe('[redacted: error]')
})

test('a log that is imported has no secret that was split over its tokens, and keeps its rules', () => {
  const ids = { ts: 1, trace_id: 't', run_id: 'r', origin: 'live', agent: 'a' } as const
  const root = { ...ids, call_id: 'root', parent_id: null }
  const model = { ...ids, call_id: 'm', parent_id: 'root' }
  const message = { id: '1', text: '', tool_calls: [] }
  const log: Envelope[] = [
    {
      ...root,
      type: 'tool_start',
      seq: 1,
      payload: { tool_name: 'a', kind: 'graph', input: null, protocol: 2 },
    },
    { ...model, type: 'llm_start', seq: 1, payload: { model: 'm', params: {} } },
    ...['to a', 'da@ex', 'ample', '.org now'].map((text, i): Envelope => ({
      ...model,
      type: 'llm_token',
      seq: 2 + i,
      payload: { text },
    })),
    { ...model, type: 'llm_end', seq: 6, payload: { usage: {}, finish_reason: 'stop', message } },
  ]
  const redacted = redactEnvelopes(createRedaction(redactSecrets), log)
  expect(texts(redacted)).toBe('to [redacted: email] now')
  expect(redacted.map(({ seq }) => seq)).toEqual(log.map(({ seq }) => seq))
  expect(verify(redacted).map(({ rule }) => rule)).toEqual(['no-end'])
  expect(redactEnvelopes(null, log)).toBe(log)
})
