import { expect, test } from 'vitest'
import * as copilotkit from './index.ts'

test('the public surface is what it says', () => {
  expect(Object.keys(copilotkit).sort()).toEqual(['ClewlineAgent', 'ClewlineRunner', 'ConnectingRunner'])
})
