import { expect, test } from 'vitest'
import * as client from './client/index.ts'
import * as agui from './index.ts'
import * as langgraph from './langgraph/index.ts'

test('the public surface is what it says', () => {
  expect(Object.keys(agui).sort()).toEqual([
    'aguiHandlers',
    'aguiMessages',
    'aguiStreams',
    'createTranslator',
    'initialState',
    'step',
  ])
  expect(Object.keys(client)).toEqual(['ConnectableHttpAgent'])
  expect(Object.keys(langgraph).sort()).toEqual([
    'ConnectError',
    'ConnectableLangGraphAgent',
    'connectThread',
    'runThroughApi',
    'watchThread',
  ])
})
