import { describe, expect, test } from 'vitest'
import { callId } from './call-id.ts'
import { sha1 } from './sha1.ts'

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

describe('sha1', () => {
  // FIPS 180-1 vectors, and lengths on both sides of a block's edge.
  test.each([
    ['', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq', '84983e441c3bd26ebaae4aa1f95129e5e54670f1'],
    ['a'.repeat(55), 'c1c8bbdc22796e28c0e15163d20899b65621d65a'],
    ['a'.repeat(56), 'c2db330f6083854c99d4b5bfb6e8f29f201be699'],
    ['a'.repeat(64), '0098ba824b5c16427bd7a1122a5a442a25ec644d'],
    ['ü€😀', '5b7343c76249f53dc57932af771508f7e109f137'],
  ])('of %j is right', (text, expected) => {
    expect(hex(sha1(new TextEncoder().encode(text)))).toBe(expected)
  })
})

describe('callId', () => {
  test('agrees with any other UUIDv5 implementation', () => {
    // python3 -c "import uuid; print(uuid.uuid5(uuid.UUID('9a4b6f0e-2f0d-4e53-8f52-6c1c1d3d7a55'), 'trace\\0call_1\\0llm:0'))"
    expect(callId('trace', ['call_1', 'llm:0'])).toBe('9cee1e86-bfdc-54c4-a7f1-612b816f0031')
  })

  test('is a version 5 UUID that depends on trace and path only', () => {
    const id = callId('trace', ['call_1', 'llm:0'])
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(callId('trace', ['call_1', 'llm:0'])).toBe(id)
  })

  test('tells apart traces, paths, and where a segment ends', () => {
    const ids = [
      callId('t', []),
      callId('t', ['']),
      callId('t', ['a']),
      callId('t', ['a', 'b']),
      callId('t', ['ab']),
      callId('t', ['b', 'a']),
      callId('u', ['a']),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })
})
