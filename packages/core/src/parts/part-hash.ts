import { sha256 } from './sha256.ts'

/** The name of a part: SHA-256 of its JSON text, in base64url without padding (43 characters). */
export function partHash(json: string): string {
  return base64url(sha256(json))
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function base64url(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i
    const bits = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    text += ALPHABET[bits >> 18]! + ALPHABET[(bits >> 12) & 63]!
    if (left > 1) text += ALPHABET[(bits >> 6) & 63]!
    if (left > 2) text += ALPHABET[bits & 63]!
  }
  return text
}
