import { z } from 'zod'
import type { Runtime } from '../runtime/create-runtime.ts'
import type { Cron, CronPlace } from '../store/store.ts'
import { cursorParameter, formatCursor, parseCursor } from './cursor.ts'
import { defined } from './defined.ts'
import { readPage } from './read-page.ts'
import { cronJson, cronPageSchema, cronSchema, id, jsonValue } from './resources.ts'
import { json, route, type Route } from './route.ts'

export const cronBody = z.object({
  schedule: z.string().max(200).meta({ description: 'Minute, hour, day of month, month, day of week.' }),
  timezone: z.string().max(100).optional().meta({ description: 'For example Europe/Vienna. Default UTC.' }),
  thread: id.optional().meta({ description: 'Without it each tick makes a thread of its own.' }),
  agent: z.string().max(200),
  input: jsonValue,
  on_overlap: z.enum(['skip', 'enqueue', 'cancel']).optional(),
})

const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  after: cursorParameter.optional(),
})

export function cronRoutes({ crons }: Runtime): readonly Route[] {
  const tag = 'crons'
  return [
    route({
      method: 'post',
      path: '/api/crons',
      tag,
      summary: 'Run an agent on a schedule',
      body: cronBody,
      answers: { 201: { description: 'The cron.', schema: cronSchema } },
      refusals: ['unknown-agent', 'not-found'],
      async handle({ body, caller }) {
        const { thread, ...rest } = defined(body)
        const wanted = { ...rest, ...(thread === undefined ? {} : { thread_id: thread }) }
        return json(cronJson(await crons.create(wanted, caller.owner)), 201)
      },
    }),
    route({
      method: 'get',
      path: '/api/crons',
      tag,
      summary: 'The crons, the oldest first',
      query: listQuery,
      answers: {
        200: { description: 'A page of crons, and the cursor for the next.', schema: cronPageSchema },
      },
      async handle({ query: { limit, after: cursor }, caller }) {
        const start = cursor === undefined ? undefined : cronAt(cursor)
        const { rows, hasMore } = await readPage<Cron>({
          limit,
          sizeOf: ({ input }) => JSON.stringify(input).length,
          read: (count, after: CronPlace | undefined = start) =>
            crons.list(caller.owner, { limit: count, ...(after === undefined ? {} : { after }) }),
        })
        const last = rows.at(-1)
        const next = hasMore && last !== undefined ? formatCursor([last.created_at, last.cron_id]) : null
        return json({ crons: rows.map(cronJson), next })
      },
    }),
    route({
      method: 'delete',
      path: '/api/crons/{cron}',
      tag,
      summary: 'Delete a cron; the runs that it made stay',
      params: z.object({ cron: id }),
      answers: { 204: { description: 'Deleted.' } },
      async handle({ params, caller }) {
        await crons.remove(params.cron, caller.owner)
        return new Response(null, { status: 204 })
      },
    }),
  ]
}

function cronAt(cursor: string): CronPlace {
  const [created_at, cron_id] = parseCursor('after', cursor)
  return { created_at, cron_id }
}
