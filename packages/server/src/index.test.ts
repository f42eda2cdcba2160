import { expect, test } from 'vitest'
import * as server from './index.ts'

test('the public surface is what it says', () => {
  expect(Object.keys(server).sort()).toEqual([
    'aguiPort',
    'createClewline',
    'defineConfig',
    'loadConfig',
    'nodeHandler',
    'serve',
    'sqliteStore',
  ])
})
