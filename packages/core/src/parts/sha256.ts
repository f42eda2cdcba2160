/** Node's own hash without importing `node:*`: `core` runs in browsers too. Ten times as fast as the code below. */
interface NativeCrypto {
  createHash(name: 'sha256'): { update(text: string, encoding: 'utf8'): { digest(): Uint8Array } }
}

const native = nativeCrypto()

/** SHA-256 of a text's UTF-8 bytes, synchronously: `crypto.subtle` is asynchronous, and an append must not wait for it. */
export function sha256(text: string): Uint8Array {
  return native === null ? portableSha256(text) : native.createHash('sha256').update(text, 'utf8').digest()
}

function nativeCrypto(): NativeCrypto | null {
  const { process } = globalThis as { process?: { getBuiltinModule?(id: string): NativeCrypto | undefined } }
  return process?.getBuiltinModule?.('node:crypto') ?? null
}

/** FIPS 180-4, for platforms without a synchronous hash of their own. */
export function portableSha256(text: string): Uint8Array {
  const words = padded(new TextEncoder().encode(text))
  const state = new Uint32Array(INITIAL)
  const schedule = new Uint32Array(64)
  for (let block = 0; block < words.length; block += 16) {
    schedule.set(words.subarray(block, block + 16))
    for (let i = 16; i < 64; i++) {
      const a = schedule[i - 15]!
      const b = schedule[i - 2]!
      const mixedA = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)
      const mixedB = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)
      schedule[i] = schedule[i - 16]! + mixedA + schedule[i - 7]! + mixedB
    }
    compress(state, schedule)
  }
  const digest = new Uint8Array(32)
  const view = new DataView(digest.buffer)
  for (let i = 0; i < 8; i++) view.setUint32(i * 4, state[i]!)
  return digest
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g)
    const first =
      (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + ROUNDS[i]! + schedule[i]!) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i]! += value
}

/** The message, a one bit, zeros, and its length in bits, as big-endian words. */
function padded(bytes: Uint8Array): Uint32Array {
  const whole = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6)
  whole.set(bytes)
  whole[bytes.length] = 0x80
  const view = new DataView(whole.buffer)
  view.setUint32(whole.length - 8, Math.floor(bytes.length / 0x2000_0000))
  view.setUint32(whole.length - 4, bytes.length << 3)
  return Uint32Array.from({ length: whole.length / 4 }, (_, i) => view.getUint32(i * 4))
}

const rotate = (value: number, by: number): number => (value >>> by) | (value << (32 - by))

/** The first 32 bits of the fractional parts of a root of the first primes, which is how the standard defines both tables. */
function fractions(count: number, root: (prime: number) => number): Uint32Array {
  const found: number[] = []
  for (let n = 2; found.length < count; n++) if (isPrime(n)) found.push(root(n))
  return Uint32Array.from(found, (value) => (value - Math.floor(value)) * 0x1_0000_0000)
}

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false
  return true
}

const INITIAL = fractions(8, Math.sqrt)
const ROUNDS = fractions(64, Math.cbrt)
