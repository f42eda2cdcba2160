import { expect, test } from 'vitest'
import * as client from './client/index.ts'
import * as agui from './index.ts'

test('the public surface is what it says', () => {
  expect(Object.keys(agui).sort()).toEqual([
    'aguiEndpoints',
    'aguiHandlers',
    'aguiMessages',
    'aguiStreams',
    'createTranslator',
    'initialState',
    'memoryThreads',
    'step',
  ])
  expect(Object.keys(client)).toEqual(['ConnectableHttpAgent'])
})
