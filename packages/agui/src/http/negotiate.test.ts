import { expect, test } from 'vitest'
import { negotiate } from './negotiate.ts'

test.each([
  [null, 'sse'],
  ['', 'sse'],
  ['*/*', 'sse'],
  ['text/*;q=0.5', 'sse'],
  ['application/json', 'sse'],
  ['text/event-stream, application/x-ndjson', 'sse'],
  ['text/event-stream;q=0.1, application/x-ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/vnd.ag-ui.event+proto, */*;q=0.1', 'protobuf'],
  ['application/vnd.ag-ui.event+proto;q=0, */*', 'sse'],
  ['TEXT/EVENT-STREAM', 'sse'],
] as const)('Accept: %s is %s', (accept, form) => {
  expect(negotiate(accept)).toBe(form)
})

test('a form that we do not speak is refused by name', () => {
  expect(() => negotiate('image/png')).toThrow('Cannot answer as image/png.')
})
