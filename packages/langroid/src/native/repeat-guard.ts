import type { JsonObject } from '@clewline/core'

/** Stops a model that calls the same tool with the same arguments again and again. */
export interface RepeatGuard {
  /** Counts this call among its equals. False: there were too many of them in this run, and it must not run. */
  claim(name: string, args: JsonObject): boolean
  refusal(name: string): string
  /** True once the model has ignored a refusal. */
  isExhausted(): boolean
}

export function repeatGuard(maxRepeats: number): RepeatGuard {
  const counts = new Map<string, number>()
  let refused = 0
  return {
    claim(name, args) {
      const key = JSON.stringify([name, sortKeys(args)])
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      if (count <= maxRepeats) return true
      refused++
      return false
    },
    refusal: (name) =>
      `You called "${name}" with the same arguments ${maxRepeats} times already. Answer with what you know.`,
    isExhausted: () => refused > 1,
  }
}

function sortKeys(args: JsonObject): unknown {
  return Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1))
}
