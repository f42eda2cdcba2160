import { expect, test } from 'vitest'
import * as frontendTools from './frontend-tools.ts'
import * as langgraph from './index.ts'
import * as record from './record/index.ts'
import * as testing from './testing/index.ts'

test('the public names are these', () => {
  expect(Object.keys(langgraph).sort()).toEqual([
    'adapt',
    'checkpointSerde',
    'fromGraph',
    'fromRemote',
    'streamRun',
  ])
  expect(Object.keys(frontendTools).sort()).toEqual(['frontendTools', 'givenTools'])
  expect(Object.keys(testing).sort()).toEqual([
    'ScriptedChatModel',
    'mortalProcess',
    'recordRun',
    'saverWrite',
    'scriptedModel',
    'story',
  ])
  expect(Object.keys(record).sort()).toEqual(['messageFrom', 'toolResultFrom'])
})
