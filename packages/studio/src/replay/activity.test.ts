import { createTimeline } from '@clewline/core/view'
import { expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { createActivity } from './activity.ts'

it('marks where a request starts and where something failed', () => {
  const timeline = createTimeline(recording({ ending: 'fail' }))
  const { marks, levels } = createActivity(timeline)(40)
  expect(marks.map(({ kind }) => kind)).toEqual(['start', 'error'])
  expect(marks[0]?.n).toBe(1)
  expect(levels).toHaveLength(40)
  expect(Math.max(...levels)).toBe(1)
})

it('goes on where it stopped when the log grows', () => {
  const entries = recording({ ending: 'ask' })
  const timeline = createTimeline(entries.slice(0, 20))
  const activity = createActivity(timeline)
  expect(activity(10).marks).toHaveLength(1)
  for (const entry of entries.slice(20)) timeline.add(entry)
  expect(activity(10).marks.map(({ kind }) => kind)).toEqual(['start', 'ask'])
})
