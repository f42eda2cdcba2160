import { createTimeline, type Call } from '@clewline/core/view'
import { describe, expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { callAbout, latestInside } from './call-about.ts'

const entries = recording({ agents: 1, tokens: 300 })
const timeline = createTimeline(entries)
const find = (kind: Call['kind']): Call =>
  [...timeline.latest().calls.values()].find((call) => call.kind === kind)!

describe('callAbout', () => {
  it.each([
    ['graph', 'How do agent runtimes keep streams durable?'],
    ['subagent', 'Find out about durable logs'],
    ['llm', 'I will plan first, then send researchers side by side.'],
    ['tool', 'durable logs'],
  ] as const)('says what a %s is about', (kind, about) => {
    expect(callAbout(find(kind))).toBe(about)
  })
})

describe('latestInside', () => {
  const { id } = find('subagent')

  it('shows the end of what is being said', () => {
    const middle = entries.findIndex(({ envelope }) => envelope.type === 'llm_token' && envelope.seq > 200)
    expect(latestInside(timeline.at(middle), id)).toMatch(/^….{140}$/)
  })

  it('shows the beginning of what was said, without its markdown', () => {
    const line = latestInside(timeline.latest(), id)
    expect(line).toMatch(/^The append-only log/)
    expect(line).not.toContain('*')
  })
})
