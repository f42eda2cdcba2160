/** The own property at the end of a path, undefined where the path ends early: for JSON whose types the SDK leaves out. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let here = value
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return undefined
    here = Object.getOwnPropertyDescriptor(here, key)?.value
  }
  return here
}

/** The same, for what is text or else not there. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path)
  return typeof found === 'string' ? found : undefined
}
