import { cronSchema, cronsSchema, type CreateCron, type Cron } from './resources/cron.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** Schedules that start runs. */
export interface Crons {
  readonly create: (cron: CreateCron, options?: RequestOptions) => Promise<Cron>
  readonly list: (options?: RequestOptions) => Promise<readonly Cron[]>
  /** The runs that it made stay. */
  readonly delete: (cron: string, options?: RequestOptions) => Promise<void>
}

export function createCrons({ get, send, remove }: Transport): Crons {
  return {
    create: (cron, options) => send(cronSchema, 'POST', '/api/crons', cron, options),
    list: async (options) => (await get(cronsSchema, '/api/crons', options)).crons,
    delete: (cron, options) => remove(`/api/crons/${encodeURIComponent(cron)}`, options),
  }
}
