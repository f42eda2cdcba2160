import { describe, expect, it } from 'vitest'
import { createSseParser } from './sse-parser.ts'

describe('createSseParser', () => {
  const stream =
    ': hb\n\nid: 7\ndata: {"a":1}\n\nevent: end\r\ndata: x\r\ndata: y\r\n\r\nid: 9\n\ndata: z\n\n'
  const expected = [
    { event: 'message', data: '{"a":1}', id: '7' },
    { event: 'end', data: 'x\ny', id: '7' },
    { event: 'message', data: 'z', id: '9' },
  ]

  it('reads a whole stream at once', () => {
    expect(createSseParser().push(stream)).toEqual(expected)
  })

  it('reads the same events however the chunks are cut', () => {
    for (let size = 1; size < 12; size++) {
      const parser = createSseParser()
      const events = []
      for (let at = 0; at < stream.length; at += size)
        events.push(...parser.push(stream.slice(at, at + size)))
      expect(events).toEqual(expected)
    }
  })

  it('holds back an event whose blank line has not come', () => {
    const parser = createSseParser()
    expect(parser.push('data: half\n')).toEqual([])
    expect(parser.push('\n')).toEqual([{ event: 'message', data: 'half', id: '' }])
  })
})
