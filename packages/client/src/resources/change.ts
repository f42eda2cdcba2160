import * as z from 'zod/mini'
import { runSchema, type Run } from './run.ts'
import { threadSchema, type Thread } from './thread.ts'

/** Something changed in the service. What a run does in detail is in its thread's log. */
export type Change =
  | { readonly type: 'thread'; readonly thread: Thread }
  | { readonly type: 'thread_removed'; readonly thread_id: string }
  | { readonly type: 'run'; readonly run: Run }
  /** A cron was made, ticked or was deleted: list them again. */
  | { readonly type: 'cron' }

const changeSchema = z.object({
  thread: z.exactOptional(threadSchema),
  removed: z.exactOptional(z.string()),
  run: z.exactOptional(runSchema),
})

/** A change as the server sends it; null for one that this version does not know. */
export function parseChange(event: string | undefined, value: unknown): Change | null {
  if (event === 'cron') return { type: 'cron' }
  const { thread, removed, run } = changeSchema.safeParse(value).data ?? {}
  if (event === 'run' && run !== undefined) return { type: 'run', run }
  if (event === 'thread' && thread !== undefined) return { type: 'thread', thread }
  if (event === 'thread' && removed !== undefined) return { type: 'thread_removed', thread_id: removed }
  return null
}
