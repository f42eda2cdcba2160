import type { Json, JsonObject, Message } from '@clewline/core'
import { messageOf } from '@clewline/core/message'
import type { Draft, RunContext, RunOutcome, RunRequest, Source } from '@clewline/core/source'

/** What a scripted agent can do in one run. `say`, `tool` … are shorthands for drafts under the root. */
export interface Stage {
  readonly request: RunRequest
  readonly context: RunContext
  /** Messages of the thread, for reading and adding. */
  readonly messages: Message[]
  readonly values: Record<string, Json>
  readonly emit: (draft: Omit<Draft, 'agent'>) => Promise<void>
  /** A model call that streams `text` in pieces and is added to the messages. */
  readonly say: (path: readonly string[], id: string, pieces: readonly string[]) => Promise<void>
}

/** What a scripted agent does in one run. Returning nothing is success. */
export type Scene = (stage: Stage) => Promise<RunOutcome | void>

/** An agent that does what its script says. It starts and ends its root call, and keeps messages and values per thread. */
export function scriptedSource(name: string, scene: Scene): Source {
  const threads = new Map<string, { messages: Message[]; values: Record<string, Json> }>()
  const threadOf = (id: string): { messages: Message[]; values: Record<string, Json> } => {
    const thread = threads.get(id) ?? { messages: [], values: {} }
    threads.set(id, thread)
    return thread
  }

  return {
    name,
    describe: () => ({ name, description: 'A scripted agent.', subagents: ['researcher'] }),
    async run(request, context) {
      const { messages, values } = threadOf(context.thread_id)
      const emit = async (draft: Omit<Draft, 'agent'>): Promise<void> => {
        await context.emit({ ...draft, agent: name } as Draft)
      }
      if (request.kind === 'input') {
        for (const message of inputMessages(request.input)) messages.push(message)
        await emit({
          type: 'tool_start',
          path: [],
          payload: { tool_name: name, kind: 'graph', input: request.input },
        })
      } else {
        await emit({ type: 'subgraph_resume', path: [], payload: { checkpoint_id: 'c', node: '' } })
      }
      const say: Stage['say'] = async (path, id, pieces) => {
        await emit({ type: 'llm_start', path, payload: { model: 'scripted', params: {}, node: 'model' } })
        for (const [index, text] of pieces.entries()) {
          const payload = index === 0 ? { text, message_id: id } : { text }
          await emit({ type: 'llm_token', path, payload })
        }
        await emit({
          type: 'llm_end',
          path,
          payload: {
            usage: { input_tokens: 1, output_tokens: pieces.length },
            finish_reason: 'stop',
            message: { id, text: pieces.join(''), tool_calls: [] },
          },
        })
        messages.push({ id, role: 'assistant', text: pieces.join('') })
      }
      try {
        const outcome = (await scene({ request, context, messages, values, emit, say })) ?? {
          status: 'success',
        }
        if (outcome.status === 'success') {
          const result = { messages: [...messages], files: {}, usage: {} }
          await emit({ type: 'tool_end', path: [], payload: { tool_name: name, result, status: 'ok' } })
        }
        return outcome
      } catch (error) {
        if (context.signal.aborted) return { status: 'cancelled' }
        const { message } = error instanceof Error ? error : new Error(String(error))
        const payload = { name, message, stack: '', class: 'Error' }
        await emit({ type: 'error', path: [], payload })
        return { status: 'error', error: { name: 'Error', message } }
      }
    },
    state: ({ thread_id }) => {
      const { messages, values } = threadOf(thread_id)
      return Promise.resolve({
        values: { ...values, messages },
        next: [],
        interrupts: [],
        checkpoint_id: null,
      })
    },
  }
}

function inputMessages(input: Json): readonly Message[] {
  const { messages } = input as JsonObject
  return Array.isArray(messages) ? messages.flatMap((message: Json) => messageOf(message) ?? []) : []
}
