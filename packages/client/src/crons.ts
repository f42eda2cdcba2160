import { cronPageSchema, cronSchema, type CreateCron, type Cron } from './resources/cron.ts'
import { searchOf } from './search-of.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** Schedules that start runs. */
export interface Crons {
  readonly create: (cron: CreateCron, options?: RequestOptions) => Promise<Cron>
  /** All of them, the oldest first, however many pages that takes. */
  readonly list: (options?: RequestOptions) => Promise<readonly Cron[]>
  /** The runs that it made stay. */
  readonly delete: (cron: string, options?: RequestOptions) => Promise<void>
}

export function createCrons({ get, send, remove }: Transport): Crons {
  return {
    create: (cron, options) => send(cronSchema, 'POST', '/api/crons', cron, options),
    async list(options) {
      const all: Cron[] = []
      let after: string | undefined
      do {
        const { crons, next } = await get(cronPageSchema, `/api/crons${searchOf({ after })}`, options)
        all.push(...crons)
        after = next ?? undefined
      } while (after !== undefined)
      return all
    },
    delete: (cron, options) => remove(`/api/crons/${encodeURIComponent(cron)}`, options),
  }
}
