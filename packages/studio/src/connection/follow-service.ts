import type { Api } from './api.ts'
import { keepReading, type ConnectionStatus } from './keep-reading.ts'
import { parseJson } from '../parse-json.ts'
import { serviceEventSchema, type Run, type Thread } from './resources.ts'

/** A thread, a run or the crons changed, anywhere in the service. */
type ServiceEvent =
  | { readonly is: 'thread'; readonly thread: Thread }
  | { readonly is: 'removed'; readonly thread_id: string }
  | { readonly is: 'run'; readonly run: Run }
  | { readonly is: 'cron' }

export interface FollowServiceOptions {
  readonly event: (event: ServiceEvent) => void
  readonly status: (status: ConnectionStatus) => void
  readonly signal: AbortSignal
}

/** The whole service at a glance, until `signal` aborts. */
export function followService(api: Api, options: FollowServiceOptions): Promise<void> {
  return keepReading(api, {
    signal: options.signal,
    status: options.status,
    path: () => '/api/events',
    events(batch) {
      for (const { event, data } of batch) {
        const read = readEvent(event, data)
        if (read !== null) options.event(read)
      }
    },
  })
}

function readEvent(event: string, data: string): ServiceEvent | null {
  if (event === 'cron') return { is: 'cron' }
  const { thread, removed, run } = serviceEventSchema.safeParse(parseJson(data)).data ?? {}
  if (event === 'run' && run !== undefined) return { is: 'run', run }
  if (event === 'thread' && thread !== undefined) return { is: 'thread', thread }
  if (event === 'thread' && removed !== undefined) return { is: 'removed', thread_id: removed }
  return null
}
