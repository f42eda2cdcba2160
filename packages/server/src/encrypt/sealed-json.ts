import { isRecord, type Json } from '@clewline/core'
import { type Cipher, isEncryptedText } from './cipher.ts'

/** A value that is encrypted, in the place of the value. */
export function seal(value: Json, cipher: Cipher): Json {
  return cipher.canEncrypt
    ? { $encrypted: cipher.encrypt('json', Buffer.from(JSON.stringify(value))) }
    : value
}

/** The encrypted text of a sealed value; null for every other value. */
export function sealedText(value: unknown): string | null {
  if (!isRecord(value) || Object.keys(value).length !== 1) return null
  const text = value['$encrypted']
  return typeof text === 'string' && isEncryptedText(text) ? text : null
}

/** Throws when it is sealed and its key is missing. */
export function unseal(value: Json, cipher: Cipher): Json {
  const text = sealedText(value)
  return text === null ? value : JSON.parse(cipher.decrypt(text).plain.toString())
}
