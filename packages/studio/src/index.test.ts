import { expect, it } from 'vitest'
import * as studio from './index.ts'

it('exports what a page of one’s own needs, and no more', () => {
  expect(Object.keys(studio).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'CallTree',
    'Composer',
    'Conversation',
    'createThreadStore',
    'FilesPanel',
    'LaneView',
    'Markdown',
    'MetersPanel',
    'PlanPanel',
    'readRecording',
    'ReplayBar',
    'ThreadProvider',
    'usePage',
    'useThread',
    'useView',
  ])
})
