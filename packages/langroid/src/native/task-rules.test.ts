import { describe, expect, test } from 'vitest'
import { chatDocument, type ChatDocument, type Entity } from './chat-document.ts'
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
  const tool = { id: '1', name: 'search', args: {}, via: 'api' as const }
  const said = (sender: Entity, extra: Partial<ChatDocument> = {}) => ({
    document: chatDocument({ sender, content: 'words', ...extra }),
    responder: sender,
  })
  const chain = [said('LLM', { tools: [tool] }), said('Agent'), said('LLM', { content: 'I quit' })]

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
    ['plain words', '', 'plain words', undefined],
    ['__SEND__:Bob how are you?', 'Bob', 'how are you?', undefined],
    ['__SEND__:Bob', 'Bob', '__PASS__', 'pass'],
    ['__PASS__', '', '__PASS__', 'pass'],
    ['__PASS__:Bob', 'Bob', '__PASS__', 'pass'],
  ])('%j goes to %j with %j', (content, recipient, said, signal) => {
    const routed = parseRouting(chatDocument({ sender: 'LLM', content }))
    expect([routed.recipient, routed.content, routed.signal?.kind]).toEqual([recipient, said, signal])
  })
})
