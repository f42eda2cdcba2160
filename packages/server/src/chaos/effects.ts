import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { RunnableConfig } from '@langchain/core/runnables'

/** A side effect of an agent in the world outside the store: what a crash may repeat, and must not leave out. */
export interface Effect {
  readonly agent: string
  readonly thread: string
  readonly what: string
}

/** Does one: a line in a file, written at once by a process that may die right after it. */
export function doEffect(agent: string, what: string, config: RunnableConfig): void {
  const file = process.env['CLEWLINE_CHAOS_EFFECTS']
  if (file === undefined) throw new Error('CLEWLINE_CHAOS_EFFECTS names no file.')
  const thread = String(config.configurable?.['thread_id'])
  // One write with O_APPEND: lines of several processes do not mix.
  appendFileSync(file, `${JSON.stringify({ agent, thread, what } satisfies Effect)}\n`)
}

export function readEffects(file: string): readonly Effect[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}
