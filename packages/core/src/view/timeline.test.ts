import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry } from '../event-log.ts'
import type { Draft } from '../source/draft.ts'
import { createLedger } from '../source/ledger.ts'
import { createFold } from './fold.ts'
import { createTimeline } from './timeline.ts'
import type { View } from './view.ts'

/** A run of any number of entries: calls open, speak, change files and end. */
function someLog(choices: readonly number[]): Entry[] {
  const ledger = createLedger({ trace_id: 't', run_id: 'r', now: () => 0 })
  const entries: Entry[] = []
  const emit = (draft: object): void => {
    for (const envelope of ledger.stamp({ agent: 'a', ...draft } as Draft))
      entries.push({ position: entries.length + 1, envelope })
  }
  emit({ type: 'tool_start', path: [], payload: { tool_name: 'g', kind: 'graph', input: {} } })
  for (const [i, choice] of choices.entries()) {
    const path = [`call-${choice % 7}`]
    if (!ledger.isOpen(path)) emit({ type: 'llm_start', path, payload: { model: 'm', params: {} } })
    else if (choice % 5 === 0)
      emit({
        type: 'llm_end',
        path,
        payload: {
          usage: { input_tokens: 1 },
          finish_reason: 'stop',
          message: { id: 'm', text: 'x', tool_calls: [] },
        },
      })
    else if (choice % 5 === 1)
      emit({
        type: 'tool_update',
        path: [],
        payload: { tool_name: 'g', delta: { files: { changed: { f: String(i) } } } },
      })
    else emit({ type: 'llm_token', path, payload: { text: `${i} ` } })
  }
  return entries
}

function foldAll(entries: readonly Entry[]): View {
  const fold = createFold()
  for (const entry of entries) fold.apply(entry)
  return fold.snapshot()
}

test('any moment is what folding the log up to it gives, in any order of asking', () => {
  const arbitrary = fc.record({
    choices: fc.array(fc.nat(34), { minLength: 2500, maxLength: 2500 }),
    asked: fc.array(fc.nat(2600), { minLength: 1, maxLength: 12 }),
  })
  fc.assert(
    fc.property(arbitrary, ({ choices, asked }) => {
      const entries = someLog(choices)
      const timeline = createTimeline(entries)
      for (const n of asked) expect(timeline.at(n)).toEqual(foldAll(entries.slice(0, n)))
    }),
    { numRuns: 15 },
  )
})

test('a view that was taken does not change when the log goes on', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(34), { maxLength: 120 }), fc.nat(119), (choices, cut) => {
      const entries = someLog(choices)
      const timeline = createTimeline(entries.slice(0, cut))
      const taken = timeline.latest()
      const copy = structuredClone(taken)
      for (const entry of entries.slice(cut)) timeline.add(entry)
      expect(taken).toEqual(copy)
    }),
  )
})

test('calls that nothing was said about keep their identity, so that a screen draws only what changed', () => {
  const entries = someLog([1, 2, 2, 2])
  const timeline = createTimeline(entries.slice(0, -1))
  const before = timeline.latest()
  timeline.add(entries.at(-1)!)
  const after = timeline.latest()
  const changed = entries.at(-1)!.envelope.call_id
  for (const [id, call] of before.calls) expect(Object.is(call, after.calls.get(id))).toBe(id !== changed)
})
