import { z } from 'zod'
import type { Runtime } from '../runtime/create-runtime.ts'
import { defined } from './defined.ts'
import { cronJson, cronSchema, id, jsonValue } from './resources.ts'
import { json, route, type Route } from './route.ts'

export const cronBody = z.object({
  schedule: z.string().max(200).meta({ description: 'Minute, hour, day of month, month, day of week.' }),
  timezone: z.string().max(100).optional().meta({ description: 'For example Europe/Vienna. Default UTC.' }),
  thread: id.optional().meta({ description: 'Without it each tick makes a thread of its own.' }),
  agent: z.string().max(200),
  input: jsonValue,
  on_overlap: z.enum(['skip', 'enqueue', 'cancel']).optional(),
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
      summary: 'The crons',
      answers: { 200: { description: 'The crons.', schema: z.object({ crons: z.array(cronSchema) }) } },
      handle: async ({ caller }) => json({ crons: (await crons.list(caller.owner)).map(cronJson) }),
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
