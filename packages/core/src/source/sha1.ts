/**
 * SHA-1. Here because UUIDv5 is defined by it and neither browsers nor core's "runs anywhere"
 * rule offer it synchronously. Not for secrets.
 */
export function sha1(bytes: Uint8Array): Uint8Array {
  const blocks = (bytes.length + 9 + 63) >> 6
  const words = new Int32Array(blocks * 16)
  bytes.forEach((byte, i) => {
    words[i >> 2]! |= byte << (24 - (i & 3) * 8)
  })
  words[bytes.length >> 2]! |= 0x80 << (24 - (bytes.length & 3) * 8)
  words[words.length - 2] = Math.floor((bytes.length * 8) / 2 ** 32)
  words[words.length - 1] = bytes.length * 8

  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
  const w = new Int32Array(80)
  for (let block = 0; block < words.length; block += 16) {
    for (let t = 0; t < 80; t++) {
      w[t] = t < 16 ? words[block + t]! : rotate(w[t - 3]! ^ w[t - 8]! ^ w[t - 14]! ^ w[t - 16]!, 1)
    }
    let a = state[0]!
    let b = state[1]!
    let c = state[2]!
    let d = state[3]!
    let e = state[4]!
    for (let t = 0; t < 80; t++) {
      const next = (rotate(a, 5) + choose(t, b, c, d) + e + w[t]!) | 0
      e = d
      d = c
      c = rotate(b, 30)
      b = a
      a = next
    }
    state[0]! += a
    state[1]! += b
    state[2]! += c
    state[3]! += d
    state[4]! += e
  }

  const digest = new Uint8Array(20)
  const view = new DataView(digest.buffer)
  state.forEach((word, i) => view.setInt32(i * 4, word))
  return digest
}

const rotate = (x: number, n: number): number => (x << n) | (x >>> (32 - n))

function choose(t: number, b: number, c: number, d: number): number {
  if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1
  if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
  return (b ^ c ^ d) + 0xca62c1d6
}
