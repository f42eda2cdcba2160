import type { Entry } from '@clewline/core'
import { describe, expect, it } from 'vitest'
import { createIntake } from './intake.ts'

let position = 0
function token(call_id: string, seq: number, from_seq?: number): Entry {
  return {
    position: ++position,
    envelope: {
      type: 'llm_token',
      ts: 0,
      trace_id: 't',
      run_id: 'r',
      call_id,
      parent_id: null,
      seq,
      origin: 'live',
      agent: 'a',
      payload: { text: '.', ...(from_seq !== undefined && { from_seq }) },
    },
  }
}

describe('an intake', () => {
  it('drops what it has seen of a call, and counts it', () => {
    const intake = createIntake()
    const first = [token('a', 1), token('b', 1), token('a', 2)]
    expect(intake.take(first)).toEqual(first)
    const next = token('b', 2)
    expect(intake.take([...first, next])).toEqual([next])
    expect(intake.count()).toEqual({ received: 7, duplicates: 3, missing: 0, gaps: [] })
  })

  it('knows what a joined envelope stands for', () => {
    const intake = createIntake()
    intake.take([token('a', 1), token('a', 4, 2)])
    expect(intake.count().missing).toBe(0)
    expect(intake.take([token('a', 3)])).toEqual([])
  })

  it('reports a gap with its place, and goes on', () => {
    const intake = createIntake()
    const entries = [token('a', 1), token('a', 6, 4), token('b', 2)]
    expect(intake.take(entries)).toEqual(entries)
    expect(intake.count()).toMatchObject({
      missing: 3,
      gaps: [
        { call_id: 'a', from: 2, to: 3, position: entries[1]?.position },
        { call_id: 'b', from: 1, to: 1, position: entries[2]?.position },
      ],
    })
  })

  it('does not take the calls that were open where it begins for broken', () => {
    const intake = createIntake({ after: 100 })
    intake.take([token('a', 57), token('a', 58), token('a', 60)])
    expect(intake.count().gaps).toMatchObject([{ from: 59, to: 59 }])
  })
})
