import type { Source } from '@clewline/core/source'
import { expect, test } from 'vitest'
import { createClewline } from '../create-clewline.ts'

const closable = (close: () => Promise<void>): Source => ({
  name: 'agent',
  describe: () => ({ name: 'agent' }),
  run: async () => ({ status: 'success' }),
  close,
})

test('a server that closes closes its sources, each once, also after one that cannot', async () => {
  const closed: string[] = []
  const broken = closable(async () => {
    throw new Error('It cannot.')
  })
  const one = closable(async () => void closed.push('one'))
  const agents = { broken, one, again: one, two: closable(async () => void closed.push('two')) }
  const clewline = await createClewline({ agents, store: ':memory:', studio: false })
  await clewline.close()
  expect(closed.toSorted()).toEqual(['one', 'two'])
})
