import { expect, it } from 'vitest'
import * as client from './index.ts'
import * as sse from './sse/index.ts'

it('exports what a program needs to talk to a server, and no more', () => {
  expect(Object.keys(client).toSorted()).toEqual(['ClewlineError', 'createClient', 'createIntake'])
  expect(Object.keys(sse).toSorted()).toEqual(['HEARTBEAT_MS', 'backoff', 'readSse'])
})
