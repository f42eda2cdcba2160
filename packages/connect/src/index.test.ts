import { expect, test } from 'vitest'
import * as connect from './index.ts'

test('the public surface is what it says', () => {
  expect(Object.keys(connect).sort()).toEqual([
    'ConnectError',
    'ConnectableLangGraphAgent',
    'connectThread',
    'runThroughApi',
    'watchThread',
  ])
})
