import { verify } from '@clewline/core/check'
import { describe, expect, test } from 'vitest'
import { normaliseIds } from '../testing/normalise-ids.ts'
import { scenarios } from '../testing/scenarios.ts'

describe('a real run keeps every rule and reads as it did before', () => {
  test.each(Object.entries(scenarios))('%s', async (name, run) => {
    const envelopes = await run()
    expect(verify(envelopes)).toEqual([])
    await expect(normaliseIds(envelopes)).toMatchFileSnapshot(`./runs/${name}.jsonl`)
  })
})
