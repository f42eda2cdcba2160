import type { Checkpoint } from '@clewline/client'
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
      answers: {
        200: { description: 'Checkpoints.', schema: z.object({ checkpoints: z.array(checkpointSchema) }) },
      },
      refusals: ['unknown-agent', 'conflict'],
      handle: async ({ params, caller }) =>
        json({ checkpoints: await forks.checkpoints(params.thread, caller.owner) }),
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
