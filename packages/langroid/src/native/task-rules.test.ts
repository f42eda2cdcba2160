import { describe, expect, test } from 'vitest'
import { chatDocument, type Entity } from './chat-document.ts'
import { cycleDetector } from './cycle-detector.ts'
import { endsWithSequence, parseDoneSequence } from './done-sequence.ts'
import { parseRouting } from './parse-routing.ts'

describe('a cycle', () => {
  test.each([
    ['two messages that alternate for ever', (i: number) => String(i % 2), true],
    ['ten messages in a round', (i: number) => String(i % 10), true],
    ['always something new', (i: number) => String(i), false],
    ['news between repetitions', (i: number) => (i % 2 === 0 ? 'same' : String(i)), false],
  ])('of %s', (_name, message, expected) => {
    const detector = cycleDetector()
    for (let i = 0; i < 80; i++) detector.add(message(i))
    expect(detector.isLoop()).toBe(expected)
  })

  test('is not looked for before there is enough to judge, or when switched off', () => {
    const early = cycleDetector()
    for (let i = 0; i < 40; i++) early.add('same')
    const off = cycleDetector({ cycleLength: 0 })
    for (let i = 0; i < 100; i++) off.add('same')
    expect([early.isLoop(), off.isLoop()]).toEqual([false, false])
  })
})

describe('a done sequence', () => {
  const said = (sender: Entity, content = 'words', ...tools: string[]) => ({
    document: chatDocument({ sender, content }),
    tools,
  })
  const chain = [said('LLM', 'words', 'search'), said('Agent'), said('LLM', 'I quit')]

  test.each([
    ['T, A, L', true],
    ['T[search], A, L', true],
    ['T[other], A, L', false],
    ['A, L', true],
    ['T, A', false],
    ['C[quit|exit]', true],
    ['U', false],
    ['L, T, A, L', false],
  ])('%s matches the end of the conversation: %s', (text, expected) => {
    expect(endsWithSequence(chain, parseDoneSequence(text))).toBe(expected)
  })

  test.each(['X', '', 'C', 'T A'])('%j is refused', (text) => {
    expect(() => parseDoneSequence(text)).toThrow(/done sequence/)
  })
})

describe('routing words', () => {
  test.each([
    ['plain words', { type: 'none' }],
    ['__SEND__:Bob how are you?', { type: 'send', recipient: 'Bob', content: 'how are you?' }],
    ['__SEND__:Ann, no: __SEND__:Bob hi', { type: 'send', recipient: 'Bob', content: 'hi' }],
    ['__SEND__:Bob.', { type: 'pass', recipient: 'Bob' }],
    ['__PASS__', { type: 'pass', recipient: null }],
    ['__PASS__:Bob', { type: 'pass', recipient: 'Bob' }],
    ['thanks @Bob, and you?', { type: 'send', recipient: 'Bob', content: 'and you?' }],
  ])('%j is %j', (content, route) => {
    expect(parseRouting(content, '@')).toEqual(route)
  })
})
