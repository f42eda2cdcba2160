import { describe, expect, test } from 'vitest'
import { hideSignals } from './hide-signals.ts'

describe('the words that steer a task', () => {
  test.each([
    ['DONE: it is 16', ': it is 16'],
    ['all DONE now', 'all  now'],
    ['DO-NOT-KNOW', ''],
    ['__SEND__:Bob how are you?', 'how are you?'],
    ['DONE six', 'six'],
    ['__PASS__', ''],
    ['__PASS__:Bob', ''],
    ['I DO NOT know', 'I DO NOT know'],
    ['DON and __init__', 'DON and __init__'],
  ])('%j is shown as %j, however it is cut', (text, shown) => {
    for (let length = 1; length <= text.length; length++) {
      const filter = hideSignals()
      let out = ''
      for (let at = 0; at < text.length; at += length) out += filter.push(text.slice(at, at + length))
      expect(out + filter.end()).toBe(shown)
    }
  })
})
