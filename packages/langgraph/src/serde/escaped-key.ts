/** `lc`, or what escaping has made of it. */
const RESERVED = /^~*lc$/

type Fields = Record<string, unknown>

/** An object whose key `lc` is data: the key gets a `~` in front. Injective, so that a key `~lc` survives, too. */
export function escapeKeys(value: object): object {
  return hasReserved(value) ? renamed(value, (key) => `~${key}`) : value
}

/** The inverse of `escapeKeys`. */
export function unescapeKeys(value: Fields): Fields {
  return hasReserved(value) ? renamed(value, (key) => (key === 'lc' ? key : key.slice(1))) : value
}

function hasReserved(value: object): boolean {
  for (const key in value) if (key.endsWith('lc') && RESERVED.test(key)) return true
  return false
}

function renamed(value: object, rename: (key: string) => string): Fields {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [RESERVED.test(key) ? rename(key) : key, item]),
  )
}
