import fc from 'fast-check'
import { expect, test } from 'vitest'
import { partHash } from './part-hash.ts'
import { portableSha256, sha256 } from './sha256.ts'

test('a hash is SHA-256 of the UTF-8 text in base64url', () => {
  // The vectors of FIPS 180-4.
  expect(partHash('')).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU')
  expect(partHash('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
})

test('where the platform has no hash of its own, the portable one gives the same', () => {
  const property = fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
    expect(portableSha256(text)).toEqual(new Uint8Array(sha256(text)))
  })
  fc.assert(property)
  for (let length = 0; length <= 200; length++) {
    const text = 'x'.repeat(length)
    expect(portableSha256(text)).toEqual(new Uint8Array(sha256(text)))
  }
})
