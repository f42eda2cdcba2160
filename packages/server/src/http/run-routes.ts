import { ClewlineError } from '@clewline/core'
import { z } from 'zod'
import type { Runtime } from '../runtime/create-runtime.ts'
import { defined } from './defined.ts'
import { flag } from './flag.ts'
import type { RunSummary } from '../store/store.ts'
import {
  id,
  jsonObject,
  jsonValue,
  PRIORITIES,
  runJson,
  runParams,
  runSchema,
  summaryJson,
  threadParams,
} from './resources.ts'
import { type Caller, json, route, type Route } from './route.ts'
import { withInputs } from './with-inputs.ts'

const answer = z.object({
  interrupt_id: z.string().max(200).optional(),
  question_id: z.string().max(200).optional(),
  value: jsonValue,
})

const config = z.object({
  recursion_limit: z.int().min(1).max(10_000).optional(),
  deadline_seconds: z.number().positive().max(86_400).optional(),
  checkpoint_id: z.string().max(200).optional(),
  configurable: jsonObject.optional(),
  tags: z.array(z.string().max(200)).max(50).optional(),
})

const tool = z.object({
  name: z.string().min(1).max(200),
  description: z.string().max(10_000).default(''),
  parameters: jsonObject.default({}),
})

export const runBody = z
  .object({
    agent: z.string().max(200),
    input: jsonValue.optional(),
    resume: z.union([z.array(answer).min(1).max(100), answer]).optional(),
    config: config.optional(),
    after_seconds: z.number().min(0).max(31_536_000).optional(),
    on_busy: z.enum(['enqueue', 'reject', 'cancel']).optional(),
    priority: z
      .enum(PRIORITIES)
      .optional()
      .meta({ description: "Which of the caller's waiting runs go first. Default normal." }),
    tools: z.array(tool).max(128).optional(),
    run_id: id.optional(),
  })
  .refine((body) => (body.input === undefined) !== (body.resume === undefined), {
    message: 'exactly one of "input" and "resume" must be given',
  })
  .meta({ oneOf: [{ required: ['input'] }, { required: ['resume'] }] })

const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  inputs: flag(false, 'With their inputs, as far as these fit into 4 MiB.'),
})

/** `configurable` names the keys of `config.configurable` that clients may set; undefined: any that is not reserved. */
export function runRoutes(runtime: Runtime, configurable?: readonly string[]): readonly Route[] {
  const { runs } = runtime
  const tag = 'runs'
  const shown = async (found: readonly RunSummary[], inputs: boolean, { owner }: Caller) =>
    inputs
      ? await withInputs(found, ({ thread_id, run_id }) => runs.get(thread_id, run_id, owner))
      : found.map(summaryJson)
  return [
    route({
      method: 'post',
      path: '/api/threads/{thread}/runs',
      tag,
      summary: 'Start a run in the background, now or later, or answer an interrupt',
      params: threadParams,
      body: runBody,
      answers: {
        202: {
          description: 'The run, and the position after which its envelopes come.',
          schema: z.object({ run_id: z.string(), position: z.int() }),
        },
      },
      refusals: ['unknown-agent', 'conflict', 'busy'],
      async handle({ params, body, caller }) {
        const { resume, config, tools, ...rest } = body
        if (configurable !== undefined) checkDeclared(config?.configurable ?? {}, configurable)
        const answers = resume === undefined ? undefined : Array.isArray(resume) ? resume : [resume]
        const wanted = {
          ...defined(rest),
          ...(answers === undefined ? {} : { resume: answers.map(defined) }),
          ...(config === undefined ? {} : { config: defined(config) }),
          ...(tools === undefined ? {} : { tools }),
          ...(caller.user === undefined ? {} : { user: caller.user }),
        }
        const { run, position } = await runs.create(params.thread, wanted, caller.owner)
        return json({ run_id: run.run_id, position }, 202)
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{thread}/runs',
      tag,
      summary: 'Runs of a thread, the newest first',
      params: threadParams,
      query: listQuery,
      answers: { 200: { description: 'The runs.', schema: z.object({ runs: z.array(runSchema) }) } },
      async handle({ params, query, caller }) {
        const found = await runs.list(params.thread, query.limit, caller.owner)
        return json({ runs: await shown(found, query.inputs, caller) })
      },
    }),
    route({
      method: 'get',
      path: '/api/runs',
      tag,
      summary:
        'Runs of all threads that wait for their time or their turn, or that run: what is due first comes first',
      query: listQuery.extend({ status: z.enum(['pending', 'running']) }),
      answers: { 200: { description: 'The runs.', schema: z.object({ runs: z.array(runSchema) }) } },
      async handle({ query, caller }) {
        const found = await runs.unfinished(query.status, query.limit, caller.owner)
        return json({ runs: await shown(found, query.inputs, caller) })
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{thread}/runs/{run}',
      tag,
      summary: 'A run',
      params: runParams,
      answers: { 200: { description: 'The run.', schema: runSchema } },
      handle: async ({ params, caller }) =>
        json(runJson(await runs.get(params.thread, params.run, caller.owner))),
    }),
    route({
      method: 'post',
      path: '/api/threads/{thread}/runs/{run}/cancel',
      tag,
      summary: 'Stop a run; answers when it is over',
      params: runParams,
      answers: { 200: { description: 'The run.', schema: runSchema } },
      handle: async ({ params, caller }) =>
        json(runJson(await runs.cancel(params.thread, params.run, caller.owner))),
    }),
    route({
      method: 'post',
      path: '/api/threads/{thread}/cancel',
      tag,
      summary: 'Stop what runs on a thread and what waits for its turn there; answers when all of it is over',
      params: threadParams,
      query: z.object({ scheduled: flag(false, 'Also runs that are to start later.') }),
      answers: { 200: { description: 'Those runs.', schema: z.object({ runs: z.array(runSchema) }) } },
      handle: async ({ params, query, caller }) =>
        json({ runs: (await runs.cancelAll(params.thread, query, caller.owner)).map(summaryJson) }),
    }),
  ]
}

function checkDeclared(given: object, declared: readonly string[]): void {
  const other = Object.keys(given).find((key) => !declared.includes(key))
  if (other === undefined) return
  throw new ClewlineError('bad-request', `config.configurable may not have "${other.slice(0, 80)}" here.`, {
    hint: `Clients may set: ${declared.join(', ') || 'nothing'}. The server's option "configurable" names more.`,
  })
}
