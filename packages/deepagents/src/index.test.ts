import { expect, it } from 'vitest'
import * as entry from './index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(entry).sort()).toEqual([
    'BASE_PROMPT',
    'DeepAgentError',
    'createDeepAgent',
    'resolveModel',
  ])
})
