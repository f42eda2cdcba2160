import { type Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { createLedger, type RunRequest } from '@clewline/core/source'
import { describe, expect, test } from 'vitest'
import { approve, loopGraph, search, taskTool } from './testing/graphs.ts'
import { fromGraph } from './index.ts'
import { recordRun, type Recording, type Script } from './testing/index.ts'

const hi = { kind: 'input', input: { messages: [{ role: 'user', content: 'hi' }] } } as const

/** Two helpers at once, a tool in each, then a tool of the graph itself. */
const script: Script = [
  {
    text: 'I hand it out',
    toolCalls: [
      { id: 't1', name: 'task', args: { goal: 'alpha' } },
      { id: 't2', name: 'task', args: { goal: 'beta' } },
    ],
  },
  { toolCalls: [{ id: 's1', name: 'search', args: { q: 'gamma' } }] },
  { text: 'done' },
]
const helper = (goal: string): Script => [
  { toolCalls: [{ id: `s_${goal}`, name: 'search', args: { q: goal } }] },
  { text: `${goal} is found` },
]
const source = () => fromGraph(loopGraph(script, [taskTool(helper), search]))

const nth = (n: number) => {
  let count = 0
  return (_envelope: Envelope): boolean => ++count === n
}

/** Calls that were given up. What a crash cut off runs again, as an attempt, and what had ended stays so. */
const cancelledIn = ({ envelopes }: Recording): readonly Envelope[] =>
  envelopes.filter(({ payload }) => 'status' in payload && payload.status === 'cancelled')

const answer = (recording: Recording): unknown => recording.envelopes.at(-1)?.payload

/** What a runtime does: it recovers the run, and one of which nothing was saved it starts again. */
async function takeUp(died: Recording, request: RunRequest = hi): Promise<Recording> {
  try {
    return await died.next({ kind: 'recover' })
  } catch (error) {
    expect(String(error)).toContain('died before anything of it was saved')
    return died.next(request)
  }
}

describe('at every single envelope of a run', async () => {
  const whole = await recordRun(source(), hi)
  const points = whole.envelopes.map((_, index) => index + 1)

  test('the process may die, and the run is taken up and ends as it would have', async () => {
    for (const point of points.slice(0, -1)) {
      const died = await recordRun(source(), hi, { diesAt: nth(point) })
      expect(died.outcome, `died at ${point}`).toEqual({ status: 'died' })
      const recovered = await takeUp(died)
      expect(recovered.outcome, `recovered from ${point}`).toEqual({ status: 'success' })
      expect(verify(recovered.envelopes), `recovered from ${point}`).toEqual([])
      expect(cancelledIn(recovered), `recovered from ${point}`).toEqual([])
      expect(answer(recovered), `recovered from ${point}`).toMatchObject({
        status: 'ok',
        result: { messages: expect.arrayContaining([expect.objectContaining({ text: 'done' })]) },
      })
    }
  })

  test('it may be cancelled, and every call ends', async () => {
    for (const point of points.slice(0, -1)) {
      const cancel = new AbortController()
      const isPoint = nth(point)
      const { outcome, envelopes } = await recordRun(source(), hi, {
        signal: cancel.signal,
        onEnvelope: (envelope) => {
          if (isPoint(envelope)) cancel.abort()
        },
      })
      expect(verify(envelopes), `cancelled at ${point}`).toEqual([])
      // At the very end there may be nothing left to cancel.
      expect(['cancelled', 'success']).toContain(outcome.status)
    }
  })

  test('it may be drained, and goes on in another process', async () => {
    for (const point of points.slice(0, -1)) {
      const drain = new AbortController()
      const isPoint = nth(point)
      const drained = await recordRun(source(), hi, {
        drain: drain.signal,
        onEnvelope: (envelope) => {
          if (isPoint(envelope)) drain.abort()
        },
      })
      if (drained.outcome.status === 'success') continue
      expect(drained.outcome, `drained at ${point}`).toEqual({ status: 'drained' })
      const recovered = await takeUp(drained)
      expect(recovered.outcome, `recovered from ${point}`).toEqual({ status: 'success' })
      expect(verify(recovered.envelopes), `drained at ${point}`).toEqual([])
    }
  })
})

describe('at every single envelope of a run that was resumed', async () => {
  const asking: Script = [
    { toolCalls: [{ id: 'a1', name: 'approve', args: { q: 'x' } }] },
    { text: 'helped' },
  ]
  const asks = () =>
    fromGraph(
      loopGraph(
        [{ toolCalls: [{ id: 't1', name: 'task', args: { goal: 'x' } }] }, { text: 'thanks' }],
        [taskTool(() => asking, [approve])],
      ),
    )
  const resume = { kind: 'resume', answers: [{ value: 'yes' }] } as const
  const paused = await recordRun(asks(), hi)
  const whole = await paused.next(resume)
  const points = whole.envelopes.slice(paused.envelopes.length).map((_, index) => index + 1)

  test('the process may die, and the answer is not lost', async () => {
    for (const point of points.slice(0, -1)) {
      const first = await recordRun(asks(), hi)
      const died = await first.next(resume, { diesAt: nth(point) })
      const again = await takeUp(died, resume)
      expect(again.outcome, `died at ${point}`).toEqual({ status: 'success' })
      expect(verify(again.envelopes), `died at ${point}`).toEqual([])
      expect(cancelledIn(again), `died at ${point}`).toEqual([])
      const ledger = createLedger({
        trace_id: again.envelopes[0]!.trace_id,
        run_id: 'x',
        history: again.envelopes,
      })
      expect(ledger.open()).toEqual([])
    }
  })
})
