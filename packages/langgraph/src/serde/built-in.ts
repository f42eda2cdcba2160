/** An object of the language from its record; undefined for any record but those that `dumpState` writes. */
export function builtIn(record: Readonly<Record<string, unknown>>): object | undefined {
  const { id, args, method } = record
  if (!Array.isArray(id) || id.length !== 1 || !Array.isArray(args)) return undefined
  const [first, second]: unknown[] = args
  if (id[0] === 'Uint8Array') return isBytes(first) ? Uint8Array.from(first) : undefined
  if (method !== null && method !== undefined) return undefined
  switch (id[0]) {
    case 'Set':
      return Array.isArray(first) ? new Set(first) : undefined
    case 'Map':
      return isEntries(first) ? new Map(first) : undefined
    case 'Error':
      return typeof first === 'string' ? new Error(first) : undefined
    case 'RegExp':
      return typeof first === 'string' && typeof second === 'string' ? regExp(first, second) : undefined
  }
  return undefined
}

function isBytes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isInteger(item) && item >= 0 && item <= 255)
}

function isEntries(value: unknown): value is [unknown, unknown][] {
  return Array.isArray(value) && value.every((entry) => Array.isArray(entry) && entry.length === 2)
}

function regExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}
