import type { Redactions } from '../envelope.ts'

/** The counts of several payloads together; undefined when nothing was redacted in any of them. */
export function sumRedactions(all: readonly (Redactions | undefined)[]): Redactions | undefined {
  let sum: Record<string, number> | undefined
  for (const one of all) {
    if (one === undefined) continue
    sum ??= {}
    for (const [kind, count] of Object.entries(one)) sum[kind] = (sum[kind] ?? 0) + count
  }
  return sum
}
