import type { CallPath } from './draft.ts'
import { sha1 } from './sha1.ts'

/** UUIDv5 of (trace, path): the same call has the same id after a retry, a resume, a replay, or in another process. */
export function callId(trace: string, path: CallPath): string {
  const name = new TextEncoder().encode([trace, ...path].join('\u0000'))
  const bytes = new Uint8Array(NAMESPACE.length + name.length)
  bytes.set(NAMESPACE)
  bytes.set(name, NAMESPACE.length)
  return uuidV5(sha1(bytes))
}

// 9a4b6f0e-2f0d-4e53-8f52-6c1c1d3d7a55, the namespace of Clewline calls. Fixed for ever: ids in old logs depend on it.
const NAMESPACE = new Uint8Array([
  0x9a, 0x4b, 0x6f, 0x0e, 0x2f, 0x0d, 0x4e, 0x53, 0x8f, 0x52, 0x6c, 0x1c, 0x1d, 0x3d, 0x7a, 0x55,
])

function uuidV5(digest: Uint8Array): string {
  digest[6] = (digest[6]! & 0x0f) | 0x50
  digest[8] = (digest[8]! & 0x3f) | 0x80
  const hex = Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
