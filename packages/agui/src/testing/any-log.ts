import type { CallKind, Envelope } from '@clewline/core'
import { createLedger } from '@clewline/core/source'
import type { Draft } from '@clewline/core/source'
import fc from 'fast-check'

type Said = { [T in Draft['type']]: Omit<Extract<Draft, { type: T }>, 'agent'> }[Draft['type']]

const name = fc.constantFrom('a', 'b', 'c')
// Few places, so that what is said meets what is open.
const paths: fc.Arbitrary<string[]> = fc.constantFrom([], ['a'], ['b'], ['a', 'b'])
const below: fc.Arbitrary<string[]> = fc.constantFrom(['a'], ['b'], ['a', 'b'])
const text = fc.constantFrom('', 'x', 'yes ', '{"q":')
const callId = fc.constantFrom('c1', 'c2', 'c3')

const token: fc.Arbitrary<Said> = fc
  .record({
    path: paths,
    text,
    channel: fc.constantFrom('text', 'reasoning', 'tool_args'),
    id: callId,
    at: fc.option(name),
  })
  .map(({ path, text: said, channel, id, at }): Said => ({
    type: 'llm_token',
    path: [...path, 'llm'],
    payload: {
      text: said,
      channel,
      ...(channel === 'tool_args' && { tool_call: { id, name: 'f', index: 0 } }),
      ...(at !== null && { message_id: `m-${path.join('')}-${at}` }),
    },
  }))

/** Anything that a source might say, in any order. The ledger makes a lawful stream of it. */
const draft: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ path: paths, node: fc.option(name, { nil: undefined }) }).map(({ path, node }): Said => ({
    type: 'llm_start',
    path: [...path, 'llm'],
    payload: { model: 'm', params: {}, ...(node !== undefined && { node }) },
  })),
  { weight: 6, arbitrary: token },
  fc
    .record({ path: paths, said: text, calls: fc.uniqueArray(callId, { maxLength: 2 }) })
    .map(({ path, said, calls }): Said => ({
      type: 'llm_end',
      path: [...path, 'llm'],
      payload: {
        usage: {},
        finish_reason: 'stop',
        message: {
          id: `m-${path.join('')}`,
          text: said,
          tool_calls: calls.map((id) => ({ id, name: 'f', args: {} })),
        },
      },
    })),
  fc
    .record({ path: below, kind: fc.constantFrom('tool', 'subagent', 'subgraph'), id: fc.option(callId) })
    .map(({ path, kind, id }): Said => ({
      type: 'tool_start',
      path,
      payload: {
        tool_name: `t-${path.join('')}`,
        kind,
        args: {},
        ...(id !== null && { meta: { tool_call_id: id } }),
      },
    })),
  fc
    .record({ path: below, status: fc.constantFrom('ok', 'cancelled', 'pending_frontend') })
    .map(({ path, status }): Said => ({
      type: 'tool_end',
      path,
      payload: { tool_name: 't', result: 'r', status },
    })),
  fc.record({ path: below, isLlm: fc.boolean() }).map(({ path, isLlm }): Said => ({
    type: 'error',
    path: isLlm ? [...path, 'llm'] : path,
    payload: { name: 'n', message: 'boom', stack: '', class: 'Error' },
  })),
  fc.record({ path: paths }).map(({ path }): Said => ({
    type: 'tool_update',
    path,
    payload: {
      tool_name: 't',
      text: 'half',
      delta: { todos: [], files: { added: { f: 'x' }, removed: ['g'] } },
    },
  })),
  fc.record({ path: paths, id: fc.uuid() }).map(({ path, id }): Said => ({
    type: 'subgraph_checkpoint',
    path,
    payload: { checkpoint_id: 'c', node: 'n', state_digest: '', interrupts: [{ id, value: 'ok?' }] },
  })),
)

/** What a call is stays the same over its attempts; what a model says has a new id in each. */
function settle(draft: Said, kinds: ReadonlyMap<string, CallKind>, attempts: Map<string, number>): Said {
  const key = draft.path.join()
  if (draft.type === 'llm_start') attempts.set(key, (attempts.get(key) ?? 0) + 1)
  const attempt = attempts.get(key) ?? 0
  if (draft.type === 'tool_start')
    return { ...draft, payload: { ...draft.payload, kind: kinds.get(key) ?? draft.payload.kind } }
  if (draft.type === 'llm_end') {
    const { message } = draft.payload
    return {
      ...draft,
      payload: { ...draft.payload, message: { ...message, id: `${message.id}-${attempt}` } },
    }
  }
  if (draft.type === 'llm_token' && draft.payload.message_id !== undefined)
    return { ...draft, payload: { ...draft.payload, message_id: `${draft.payload.message_id}-${attempt}` } }
  return draft
}

const kind = fc.constantFrom<CallKind>('tool', 'subagent', 'subgraph')

/** Runs of one trace, one after the other, as after an interrupt. */
export const anyLog = (maxRuns: number): fc.Arbitrary<Envelope[]> =>
  fc
    .record({
      runs: fc.array(fc.array(draft, { maxLength: 80, size: 'max' }), { minLength: 1, maxLength: maxRuns }),
      kinds: fc.tuple(kind, kind, kind),
      isEnded: fc.boolean(),
    })
    .map(({ runs, kinds: [a, b, ab], isEnded }) => {
      const kinds = new Map([
        ['a', a],
        ['b', b],
        ['a,b', ab],
      ])
      const attempts = new Map<string, number>()
      const envelopes: Envelope[] = []
      for (const [index, drafts] of runs.entries()) {
        const ledger = createLedger({
          trace_id: 'trace',
          run_id: `run-${index}`,
          history: envelopes,
          now: () => 0,
        })
        const root: Said = {
          type: 'tool_start',
          path: [],
          payload: { tool_name: 'agent', kind: 'graph', input: {} },
        }
        const said = drafts.map((one) => settle(one, kinds, attempts))
        for (const one of index === 0 ? [root, ...said] : said)
          envelopes.push(...ledger.stamp({ ...one, agent: 'agent' }))
        if (isEnded && index === runs.length - 1) envelopes.push(...ledger.close({ status: 'cancelled' }))
      }
      return envelopes
    })
