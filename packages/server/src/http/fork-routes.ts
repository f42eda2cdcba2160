import type { Checkpoint, CheckpointPage } from '@clewline/client'
import { z } from 'zod'
import type { Runtime } from '../runtime/create-runtime.ts'
import { defined } from './defined.ts'
import { id, threadJson, threadParams, threadSchema } from './resources.ts'
import { json, route, type Route } from './route.ts'
import type { Shape } from './shape.ts'

const checkpointSchema = z.object({
  checkpoint_id: z.string(),
  parent_id: z.string().nullable(),
  ts: z.string(),
  step: z.int(),
  next: z.array(z.string()),
  messages: z.int(),
} satisfies Shape<Checkpoint>)

const checkpointPageSchema = z.object({
  checkpoints: z.array(checkpointSchema),
  next: z.string().nullable(),
} satisfies Shape<CheckpointPage>)

const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  before: id.optional().meta({ description: '`next` of the page before: a checkpoint_id.' }),
})

export const forkBody = z.object({
  checkpoint_id: z.string().max(200).optional(),
  before_message_id: z.string().max(200).optional(),
  thread_id: id.optional(),
})

export function forkRoutes({ forks, threads }: Runtime): readonly Route[] {
  const tag = 'threads'
  return [
    route({
      method: 'get',
      path: '/api/threads/{thread}/checkpoints',
      tag,
      summary: 'The states that a thread can be forked from, the newest first',
      params: threadParams,
      query: listQuery,
      answers: { 200: { description: 'A page, and the cursor for the next.', schema: checkpointPageSchema } },
      refusals: ['unknown-agent', 'conflict'],
      async handle({ params, query: { limit, before }, caller }) {
        const page = { limit: limit + 1, ...(before === undefined ? {} : { before }) }
        const found = await forks.checkpoints(params.thread, caller.owner, page)
        const checkpoints = found.slice(0, limit)
        const next = found.length > limit ? (checkpoints.at(-1)?.checkpoint_id ?? null) : null
        return json({ checkpoints, next })
      },
    }),
    route({
      method: 'post',
      path: '/api/threads/{thread}/fork',
      tag,
      summary: 'Make a new thread from a checkpoint',
      params: threadParams,
      body: forkBody,
      answers: { 201: { description: 'The new thread.', schema: threadSchema } },
      refusals: ['unknown-agent', 'conflict', 'unsupported'],
      async handle({ params, body, caller }) {
        const thread = await forks.fork(params.thread, defined(body), caller.owner)
        return json(threadJson(thread, await threads.position(thread.thread_id)), 201)
      },
    }),
  ]
}
