import { readdirSync, readFileSync } from 'node:fs'
import { type Envelope, verify } from '@skein/core'
import { describe, expect, test } from 'vitest'
import { adapt } from '../adapt/adapt.ts'
import { story } from '../testing/index.ts'
import { normaliseIds } from './normalise-ids.ts'

const folder = new URL('./samples/', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'))

async function adapted(file: string): Promise<Envelope[]> {
  const lines = readFileSync(new URL(file, folder), 'utf8').split('\n').filter(Boolean)
  const envelopes: Envelope[] = []
  for await (const envelope of adapt(lines.map((line): unknown => JSON.parse(line)))) envelopes.push(envelope)
  return envelopes
}

describe('a recorded stream becomes envelopes that keep every rule', () => {
  test.each(files)('%s', async (file) => {
    const envelopes = await adapted(file)
    expect(verify(envelopes)).toEqual([])
    await expect(normaliseIds(envelopes)).toMatchFileSnapshot(`./adapted/${file}`)
    await expect(`${story(envelopes)}\n`).toMatchFileSnapshot(`./adapted/${file.replace('.jsonl', '.story')}`)
  })
})
