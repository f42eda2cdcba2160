import { Client } from '@langchain/langgraph-sdk'
import { coerce, isRecord, type JsonObject } from '@clewline/core'
import type { Source, SourceDescription } from '@clewline/core/source'
import { checkpointId, checkpointOf } from './checkpoint-of.ts'
import { remoteRun, remoteState, remoteThreadId, stateOf } from './remote-thread.ts'
import { runRemote } from './run-remote.ts'
import { type SubagentOptions, subagentTools } from './subagent-tools.ts'

/** Where the graph is, and how to get in. */
export interface FromRemoteOptions extends SubagentOptions {
  /** Of a LangGraph API server, e.g. `http://localhost:2024`. */
  readonly url: string
  /** The name of a graph, or the id of an assistant. */
  readonly assistantId: string
  /** Sent with every request, for example for authentication. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the assistant's id. */
  readonly name?: string
}

/** A graph on a LangGraph API server as a source of envelopes. Its threads and checkpoints stay on that server. */
export function fromRemote(options: FromRemoteOptions): Source {
  const { assistantId, name = assistantId } = options
  const isSubagent = subagentTools(options)
  const client = new Client({
    apiUrl: options.url,
    callerOptions: { maxRetries: 2 },
    ...(options.headers !== undefined && { defaultHeaders: { ...options.headers } }),
  })

  return {
    name,
    describe: () => describe(client, assistantId, name),
    run: (request, context) => runRemote({ client, assistantId, name, isSubagent }, request, context),
    hasSaved: async ({ run_id }, { thread_id }) =>
      (await remoteRun(client, remoteThreadId(thread_id), run_id)) !== undefined,
    async state(context) {
      const state = await remoteState(client, remoteThreadId(context.thread_id))
      const interrupts = state.tasks.flatMap((task) => task.interrupts)
      return {
        values: coerce(state.values),
        next: [...state.next],
        interrupts: interrupts.map(({ id = '', value }) => ({ id, value: coerce(value) })),
        checkpoint_id: checkpointId(state.config),
      }
    },
    async update(values, context) {
      await client.threads.updateState(remoteThreadId(context.thread_id), { values: { ...values } })
    },
    async checkpoints(context, { limit, before } = { limit: 500 }) {
      const from = before === undefined ? {} : { before: { configurable: { checkpoint_id: before } } }
      const history = await client.threads.getHistory(remoteThreadId(context.thread_id), { limit, ...from })
      return history.map((state) => checkpointOf(stateOf(state)))
    },
  }
}

/** Servers read schemas from the types of a graph, which not every graph has. */
async function describe(client: Client, assistantId: string, name: string): Promise<SourceDescription> {
  try {
    const found = await client.assistants.search({ graphId: assistantId, limit: 1 })
    const id = found[0]?.assistant_id ?? assistantId
    const { input_schema, output_schema } = await client.assistants.getSchemas(id)
    const input = objectOf(input_schema)
    const output = objectOf(output_schema)
    return {
      name,
      ...(input !== null && { input_schema: input }),
      ...(output !== null && { output_schema: output }),
    }
  } catch {
    return { name }
  }
}

function objectOf(schema: unknown): JsonObject | null {
  const json = coerce(schema)
  return isRecord(json) ? json : null
}
