import { z } from 'zod'
import type { Runtime } from '../runtime/create-runtime.ts'
import type { Thread } from '../store/store.ts'
import { cursorParameter, formatCursor, parseCursor } from './cursor.ts'
import { defined } from './defined.ts'
import { readPage } from './read-page.ts'
import {
  id,
  jsonObject,
  stateSchema,
  threadJson,
  threadPageSchema,
  threadParams,
  threadSchema,
  threadStatus,
} from './resources.ts'
import { json, route, type Route } from './route.ts'

export const createBody = z.object({
  thread_id: id.optional(),
  title: z.string().max(200).optional(),
  agent: z.string().max(200).optional(),
  metadata: jsonObject.optional(),
})

export const listQuery = z.object({
  query: z.string().max(200).optional(),
  status: threadStatus.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: cursorParameter.optional(),
})

export const changeBody = z.object({ title: z.string().max(200).optional(), metadata: jsonObject.optional() })

export function threadRoutes(runtime: Runtime): readonly Route[] {
  const { threads } = runtime
  const show = async (thread: Thread) => threadJson(thread, await threads.position(thread.thread_id))
  const tag = 'threads'
  return [
    route({
      method: 'post',
      path: '/api/threads',
      tag,
      summary: 'Create a thread, or get it if the id is there already',
      body: createBody,
      answers: { 201: { description: 'The thread.', schema: threadSchema } },
      refusals: ['unknown-agent', 'conflict'],
      handle: async ({ body, caller }) =>
        json(await show(await threads.create(defined(body), caller.owner)), 201),
    }),
    route({
      method: 'get',
      path: '/api/threads',
      tag,
      summary: 'Threads, the newest first',
      query: listQuery,
      answers: {
        200: {
          description: 'A page of threads, and the cursor for the next.',
          schema: threadPageSchema,
        },
      },
      async handle({ query, caller }) {
        const { limit, before, query: text, status } = query
        const filter = {
          ...(text === undefined ? {} : { query: text }),
          ...(status === undefined ? {} : { status }),
          ...(caller.owner === undefined ? {} : { owner: caller.owner }),
        }
        const start = before === undefined ? undefined : threadAt(before)
        const { rows, hasMore } = await readPage<Thread>({
          limit,
          sizeOf: ({ metadata }) => JSON.stringify(metadata).length,
          read(count, after: Pick<Thread, 'updated_at' | 'thread_id'> | undefined = start) {
            return threads.list({
              ...filter,
              ...(after === undefined ? {} : { before: after }),
              limit: count,
            })
          },
        })
        const last = rows.at(-1)
        const next = hasMore && last !== undefined ? formatCursor([last.updated_at, last.thread_id]) : null
        return json({ threads: await Promise.all(rows.map(show)), next })
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{thread}',
      tag,
      summary: 'A thread',
      params: threadParams,
      answers: { 200: { description: 'The thread.', schema: threadSchema } },
      handle: async ({ params, caller }) => json(await show(await threads.get(params.thread, caller.owner))),
    }),
    route({
      method: 'patch',
      path: '/api/threads/{thread}',
      tag,
      summary: 'Rename a thread or replace its metadata',
      params: threadParams,
      body: changeBody,
      answers: { 200: { description: 'The thread.', schema: threadSchema } },
      handle: async ({ params, body, caller }) =>
        json(await show(await threads.update(params.thread, defined(body), caller.owner))),
    }),
    route({
      method: 'delete',
      path: '/api/threads/{thread}',
      tag,
      summary: 'Delete a thread with its runs, its log and its states',
      params: threadParams,
      answers: { 204: { description: 'Deleted.' } },
      async handle({ params, caller }) {
        await threads.remove(params.thread, caller.owner)
        return new Response(null, { status: 204 })
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{thread}/state',
      tag,
      summary: 'What the thread holds now',
      params: threadParams,
      answers: { 200: { description: 'The state.', schema: stateSchema } },
      refusals: ['conflict'],
      handle: async ({ params, caller }) => json(await threads.state(params.thread, caller.owner)),
    }),
    route({
      method: 'patch',
      path: '/api/threads/{thread}/state',
      tag,
      summary: 'Write values into the state',
      params: threadParams,
      body: z.object({ values: jsonObject }),
      answers: { 200: { description: 'The new state.', schema: stateSchema } },
      refusals: ['unknown-agent', 'busy', 'conflict', 'unsupported'],
      handle: async ({ params, body, caller }) =>
        json(await threads.updateState(params.thread, body.values, caller.owner)),
    }),
  ]
}

function threadAt(cursor: string): Pick<Thread, 'updated_at' | 'thread_id'> {
  const [updated_at, thread_id] = parseCursor('before', cursor)
  return { updated_at, thread_id }
}
