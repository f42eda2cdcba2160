import type { Usage } from '../envelope.ts'

const COUNTS = ['input_tokens', 'output_tokens', 'total_tokens', 'cached_tokens', 'reasoning_tokens'] as const

/** The sum, where a count that is unknown on both sides stays unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const count of COUNTS) {
    const left = a[count]
    const right = b[count]
    if (left !== undefined || right !== undefined) sum[count] = (left ?? 0) + (right ?? 0)
  }
  return sum
}
