import { expect, test } from 'vitest'
import * as server from './index.ts'
import * as testing from './testing/index.ts'

test('the public surface is what it says', () => {
  expect(Object.keys(server).sort()).toEqual([
    'aguiPort',
    'createClewline',
    'defineConfig',
    'loadConfig',
    'nodeHandler',
    'redactSecrets',
    'serve',
    'sqliteStore',
  ])
})

test('the suites that a store of your own must pass are public, too', () => {
  expect(Object.keys(testing).sort()).toEqual(['eventLogConformance', 'storeConformance'])
})
