import type { Event } from '@ag-ui/core'
import type { Envelope } from '@clewline/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinDeltas } from '../stream/join-deltas.ts'
import { anyLog } from '../testing/any-log.ts'
import { judge } from '../testing/judge.ts'
import { createTranslator } from './create-translator.ts'
import { step } from './step.ts'
import { initialState } from './translator-state.ts'

function translate(envelopes: readonly Envelope[], version: string): Event[] {
  const translator = createTranslator({ thread_id: 't', version })
  const events = envelopes.flatMap((envelope) => [...translator.push(envelope)])
  return [...events, ...translator.end({ status: 'interrupted' })]
}

const version = fc.constantFrom('1.0', '0.0.59', '0.0.45', '0.0.37')

test('whatever a source says, every client gets a stream that its own verifier accepts', async () => {
  const holds = fc.assert(
    fc.asyncProperty(anyLog(3), version, async (envelopes, client) => {
      const events = translate(envelopes, client)
      await judge(events)
      await judge([...joinDeltas(events)])
    }),
    { numRuns: 400 },
  )
  await expect(holds).resolves.toBeUndefined()
})

test('a translation that is cut anywhere and goes on from its written state is the same', () => {
  fc.assert(
    fc.property(anyLog(3), version, fc.nat(), (envelopes, client, at) => {
      const whole = translate(envelopes, client)
      const cut = at % (envelopes.length + 1)
      let state = initialState({ thread_id: 't', version: client })
      const events: Event[] = []
      for (const [index, envelope] of envelopes.entries()) {
        if (index === cut) state = JSON.parse(JSON.stringify(state)) as typeof state
        const [next, told] = step(state, envelope)
        state = next
        events.push(...told)
      }
      events.push(...createTranslator({ thread_id: 't' }, state).end({ status: 'interrupted' }))
      expect(events).toEqual(whole)
    }),
    { numRuns: 200 },
  )
})
