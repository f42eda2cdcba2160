export interface CycleOptions {
  /** Longest cycle that is looked for; 0 turns the search off. Default 10. */
  readonly cycleLength?: number
  /** How much more frequent the messages of a cycle must be than the next. Default 1.5. */
  readonly dominance?: number
  /** How many rounds to wait before judging. Default 5. */
  readonly patience?: number
}

/** Finds exact cycles in a conversation: the same few messages, over and over. */
export interface CycleDetector {
  add(message: string): void
  /** True when the newest messages are the dominant ones and nothing else. */
  isLoop(): boolean
  readonly cycleLength: number
}

export function cycleDetector(options: CycleOptions = {}): CycleDetector {
  const cycleLength = options.cycleLength ?? 10
  const dominance = options.dominance ?? 1.5
  const patience = options.patience ?? 5
  const window = cycleLength * patience
  // Langroid seeds its counter with one message that never occurs, so that a lone message has something to dominate.
  const counts = new Map<string, number>([['', 1]])
  const recent: string[] = []

  return {
    cycleLength,
    add(message) {
      counts.set(message, (counts.get(message) ?? 0) + 1)
      recent.push(message)
      if (recent.length > window) recent.shift()
    },
    isLoop() {
      if (cycleLength <= 0) return false
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
      if (total < window) return false
      const common = [...counts].sort(([, a], [, b]) => b - a).slice(0, cycleLength + 1)
      let dominant = -1
      for (let i = 0; i + 1 < common.length; i++) {
        const [, count] = common[i]!
        const [, next] = common[i + 1]!
        if (count / next > dominance && count - next > patience) dominant = i
      }
      if (dominant < 0) {
        if (common.length > cycleLength) return false
        dominant = common.length - 1
      }
      const loop = new Set(common.slice(0, dominant + 1).map(([message]) => message))
      const newest = new Set(recent.slice(-patience * (dominant + 1)))
      return loop.size === newest.size && [...loop].every((message) => newest.has(message))
    },
  }
}

/** Thrown when a task repeats an exact cycle of messages. */
export class InfiniteLoopError extends Error {
  constructor(task: string) {
    super(`The task "${task}" repeats itself. Adjust its \`cycles\`, or give it a way to be done.`)
    this.name = 'InfiniteLoopError'
  }
}
