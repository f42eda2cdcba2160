import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { ClewlineError } from '@clewline/core'

/** Which keys there are. Each is 32 random bytes as base64 or hex: `openssl rand -base64 32`. */
export interface EncryptionOptions {
  /** Encrypts, and decrypts. */
  readonly key: string
  /** Only decrypt: what was written before the key was changed. */
  readonly oldKeys?: readonly string[]
}

/** Encrypts what is stored. Authenticated: what was changed in the store is not decrypted. */
export interface Cipher {
  /** False without a key: then only `decrypt` is of use, to say which key is missing. */
  readonly canEncrypt: boolean
  /** `label` says what it is, and comes out again; it is authenticated, not secret. */
  encrypt(label: string, plain: Uint8Array): string
  /** Throws a `ClewlineError` when its key is missing, or the text is not what was written. */
  decrypt(text: string): { readonly label: string; readonly plain: Buffer }
}

const PREFIX = 'clewline-1'
const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const FORM = /^clewline-1\.([0-9a-f]{8})\.([\w-]{1,20})\.([A-Za-z0-9_-]+)$/

/** Whether a text has the form of what `encrypt` gives. */
export const isEncryptedText = (text: string): boolean => FORM.test(text)

/** AES-256-GCM with a random nonce for each value: a key is good for some billions of them. */
export function createCipher(options: EncryptionOptions | undefined): Cipher {
  const current = options === undefined ? undefined : keyOf(options.key)
  const older = (options?.oldKeys ?? []).map(keyOf)
  const keys = new Map(
    [...older, ...(current === undefined ? [] : [current])].map((key) => [key.id, key.bytes]),
  )

  return {
    canEncrypt: current !== undefined,
    encrypt(label, plain) {
      if (current === undefined) throw new TypeError('There is no key to encrypt with.')
      const iv = randomBytes(IV_BYTES)
      const head = `${PREFIX}.${current.id}.${label}`
      const cipher = createCipheriv(ALGORITHM, current.bytes, iv).setAAD(Buffer.from(head))
      const body = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
      return `${head}.${body.toString('base64url')}`
    },
    decrypt(text) {
      const [, id = '', label = '', body = ''] = FORM.exec(text) ?? []
      const key = keys.get(id)
      if (key === undefined) throw missing(id, keys.size)
      const bytes = Buffer.from(body, 'base64url')
      const sealed = bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES)
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(Buffer.from(`${PREFIX}.${id}.${label}`))
          .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
        return { label, plain: Buffer.concat([decipher.update(sealed), decipher.final()]) }
      } catch (cause) {
        throw new ClewlineError(
          'conflict',
          'An encrypted value in the store is not what was written there.',
          {
            hint: 'It was damaged or changed. Restore a backup of the store, or delete the thread.',
            cause,
          },
        )
      }
    },
  }
}

function keyOf(text: string): { id: string; bytes: Buffer } {
  const trimmed = text.trim()
  const bytes = Buffer.from(trimmed, /^[0-9a-f]{64}$/i.test(trimmed) ? 'hex' : 'base64')
  if (bytes.length !== 32) {
    throw new ClewlineError('bad-config', 'An encryption key is not 32 bytes as base64 or hex.', {
      hint: 'Make one with: openssl rand -base64 32',
    })
  }
  // Of the key, so that no one has to name it, and it cannot be told from its name.
  return { id: createHash('sha256').update('clewline key ').update(bytes).digest('hex').slice(0, 8), bytes }
}

function missing(id: string, known: number): ClewlineError {
  const why = known === 0 ? 'no key is configured' : 'that key is not among those configured'
  return new ClewlineError('bad-config', `The store is encrypted with the key "${id}", and ${why}.`, {
    hint: 'Set it with CLEWLINE_ENCRYPTION_KEY or "encryption" in clewline.config.ts; an earlier one goes to "oldKeys".',
  })
}
