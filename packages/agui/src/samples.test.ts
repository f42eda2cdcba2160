import type { Event } from '@ag-ui/core'
// oxlint-disable-next-line no-restricted-imports -- the recordings are of LangGraph
import { adapt } from '@clewline/langgraph'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createTranslator } from './index.ts'
import { judge } from './testing/judge.ts'

const samples = new URL('../../langgraph/src/goldens/samples/', import.meta.url)

function lines(file: string): unknown[] {
  const text = readFileSync(new URL(file, samples), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

describe.each(readdirSync(samples))('recorded stream %s', (file) => {
  test.each([undefined, '0.0.59', '1.0.0'])('is a valid AG-UI stream for a client of %s', async (version) => {
    const translator = createTranslator({ thread_id: 't', ...(version !== undefined && { version }) })
    const events: Event[] = []
    for await (const envelope of adapt(lines(file))) events.push(...translator.push(envelope))
    events.push(...translator.end({ status: 'interrupted' }))
    expect(events.length).toBeGreaterThan(10)
    await judge(events)
  })
})
