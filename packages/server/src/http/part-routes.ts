import { ClewlineError } from '@clewline/core'
import { z } from 'zod'
import type { Runtime } from '../runtime/create-runtime.ts'
import { partSchema, threadParams } from './resources.ts'
import { json, route, type Route } from './route.ts'

/** About so much is sent in one go; who wants more asks again for what is missing. */
const PAGE_BYTES = 8 * 1024 * 1024
const NAMES = 100

const name = z.string().regex(/^[\w-]{43}$/, 'must be the name of a part: 43 characters of base64url')

const partsQuery = z.object({
  names: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(name).min(1).max(NAMES))
    .meta({ type: 'string', description: `Names of parts, separated by commas; at most ${NAMES}.` }),
})

/** For readers that joined a log in the middle and lack what stands before. */
export function partRoutes({ threads, log }: Runtime): readonly Route[] {
  const tag = 'events'
  return [
    route({
      method: 'get',
      path: '/api/threads/{thread}/parts',
      tag,
      summary: 'Parts of a log by their names, with the parts that they refer to',
      params: threadParams,
      query: partsQuery,
      answers: {
        200: {
          description:
            'About 8 MiB at most, at least one: ask again for what is missing. Unknown names are left out.',
          schema: z.object({ parts: z.array(partSchema) }),
        },
      },
      async handle({ params, query, caller }) {
        const { thread_id } = await threads.get(params.thread, caller.owner)
        return json({ parts: await log.parts(thread_id, query.names, PAGE_BYTES) })
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{thread}/parts/{name}',
      tag,
      summary: 'One part of a log by its name',
      params: threadParams.extend({ name }),
      answers: { 200: { description: 'The part, references in it as they stand.', schema: partSchema } },
      async handle({ params, caller }) {
        const { thread_id } = await threads.get(params.thread, caller.owner)
        const [part] = await log.parts(thread_id, [params.name], 0)
        if (part !== undefined) return json(part)
        throw new ClewlineError('not-found', `No part "${params.name}" in the thread "${thread_id}".`, {
          hint: 'Names of parts are in the references of the events that `profile=debug` gives.',
        })
      },
    }),
  ]
}
