import { describe, expect, it } from 'vitest'
import { createTimeline } from '@clewline/core/view'
import { recording } from '../testing/recording.ts'
import { createThreadStore } from './thread-store.ts'

const entries = recording({ agents: 3, tokens: 40 })

describe('a thread store', () => {
  it('shows the same view live, after a replay and when scrubbed to', () => {
    const live = createThreadStore({ schedule: () => undefined })
    const whole = createThreadStore({ schedule: () => undefined })
    whole.add(entries)
    for (const [index, entry] of entries.entries()) {
      live.add([entry])
      if (index % 37 !== 0) continue
      live.flush()
      whole.seek(index + 1)
      whole.flush()
      expect(whole.getState().view).toEqual(live.getState().view)
      expect(whole.getState().view).toEqual(createTimeline(entries.slice(0, index + 1)).latest())
    }
  })

  it('keeps its place while new entries arrive, and follows again when sent to the end', () => {
    const store = createThreadStore({ schedule: () => undefined })
    store.add(entries.slice(0, 50))
    store.seek(20)
    store.flush()
    store.add(entries.slice(50))
    store.flush()
    expect(store.getState()).toMatchObject({ cursor: 20, length: entries.length })
    expect(store.getState().view.count).toBe(20)
    store.seek(null)
    store.flush()
    expect(store.getState().view.count).toBe(entries.length)
  })

  it('drops what a resume brings again, so that nothing is shown twice', () => {
    const store = createThreadStore({ schedule: () => undefined })
    store.add(entries.slice(0, 60))
    store.add(entries.slice(30))
    store.flush()
    const { view, intake } = store.getState()
    expect(view).toEqual(createTimeline(entries).latest())
    expect(intake).toMatchObject({ duplicates: 30, missing: 0 })
  })

  it('counts what is missing and says where', () => {
    const store = createThreadStore({ schedule: () => undefined })
    const victim = entries.findIndex(({ envelope }) => envelope.type === 'llm_token')
    store.add(entries.toSpliced(victim, 1))
    store.flush()
    const { envelope } = entries[victim] ?? {}
    expect(store.getState().intake.missing).toBe(1)
    expect(store.getState().intake.gaps).toMatchObject([{ call_id: envelope?.call_id, from: envelope?.seq }])
  })

  it('counts lines that are no envelopes and goes on', () => {
    const store = createThreadStore({ schedule: () => undefined })
    store.problem('not JSON: {')
    store.add(entries)
    store.flush()
    expect(store.getState().intake).toMatchObject({ problemCount: 1, problems: ['not JSON: {'] })
    expect(store.getState().length).toBe(entries.length)
  })
})
