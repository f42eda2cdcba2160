import { createTimeline } from '@clewline/core/view'
import { expect, it } from 'vitest'
import { createThreadStore } from '../store/thread-store.ts'
import { recording } from '../testing/recording.ts'
import { recordingOf } from './export-recording.ts'
import { readRecording } from './read-recording.ts'

it('opens what it exported, with the same view', async () => {
  const timeline = createTimeline(recording({ agents: 2, tokens: 30 }))
  const store = createThreadStore({ schedule: () => undefined })
  await readRecording(new Blob([recordingOf(timeline)]), store)
  expect(store.getState().view).toEqual(timeline.latest())
  expect(store.getState().intake).toMatchObject({ missing: 0, duplicates: 0, problemCount: 0 })
})

it('leaves out lines that are no envelopes, and says which', async () => {
  const store = createThreadStore({ schedule: () => undefined })
  const good = recordingOf(createTimeline(recording({ agents: 1, tokens: 3 })))
  await readRecording(new Blob(['nonsense\n', good, '{"type":"later_version"}\n{"cut":']), store)
  const { intake, length } = store.getState()
  expect(length).toBe(good.trim().split('\n').length)
  expect(intake.problemCount).toBe(3)
  expect(intake.problems[0]).toMatch(/^line 1: not JSON/)
  expect(intake.problems[1]).toContain('later_version')
})
