import { createTimeline } from '@clewline/core/view'
import { expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { createHues } from './hue.ts'

it('gives an agent the same colour whoever asks first and whenever', () => {
  const entries = recording({ agents: 2, tokens: 5 })
  const whole = createHues(createTimeline(entries))
  const agents = [...new Set(entries.map(({ envelope }) => envelope.agent))]
  expect(agents.length).toBeGreaterThan(1)
  const backwards = createHues(createTimeline(entries))
  expect(agents.toReversed().map(backwards)).toEqual(agents.map(whole).toReversed())

  const growing = createTimeline()
  const live = createHues(growing)
  for (const entry of entries) {
    growing.add(entry)
    expect(live(entry.envelope.agent)).toBe(whole(entry.envelope.agent))
  }
})
