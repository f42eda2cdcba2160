import { ClewlineError, coerce, isRecord, type JsonObject } from '@clewline/core'
import type { RunContext, Source, ThreadContext } from '@clewline/core/source'
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint'
import { settingsOf, type LangGraphAdapter } from '../adapter/langgraph-adapter.ts'
import { optional } from '../adapter/load-langchain.ts'
import type { Budget } from '../limits/budget.ts'
import { outputSchemaOf } from '../output/parse-output.ts'
import { schemaTitle } from '../output/output-strategy.ts'
import type { Prompt, PromptTemplate } from '../prompt/prompt.ts'
import type { Section } from '../prompt/section.ts'
import { looseSchemaOf } from '../schema/schema.ts'
import { createSession, type Session } from '../session/session.ts'
import { promptGraph } from './prompt-graph.ts'

/** Name and limits of the agent that a prompt becomes. */
export interface FromPromptOptions {
  /** Default: the name of the prompt. */
  readonly name?: string
  readonly description?: string
  /** For each run; one that goes on after a pause continues with what it has used. */
  readonly budget?: Budget
  /** For each run. */
  readonly deadlineMs?: number
  /** An empty session with the slices of the prompt's tools. Its values are kept with the thread. */
  session?(threadId: string): Session
}

/**
 * A prompt as a source of envelopes: every evaluation is a run, a thread is a conversation. A template takes its
 * parameters from `input.params`; the user's turn is `input.messages`, or `input` itself when it is text.
 */
export function fromPrompt(
  adapter: LangGraphAdapter,
  prompt: Prompt | PromptTemplate,
  options: FromPromptOptions = {},
): Source {
  const template = 'template' in prompt ? prompt.template : prompt
  const name = options.name ?? template.name
  const { checkpointer } = settingsOf(adapter)
  let own: Promise<BaseCheckpointSaver> | undefined
  const saverOf = async (context: ThreadContext): Promise<BaseCheckpointSaver> => {
    const given = context.checkpointer ?? checkpointer
    if (given !== undefined && isSaver(given)) return given
    own ??= optional(() => import('@langchain/langgraph-checkpoint')).then(
      ({ MemorySaver }) => new MemorySaver(),
    )
    return own
  }
  const sourceFor = async (
    context: ThreadContext,
    emit: RunContext['emit'],
    signal?: AbortSignal,
  ): Promise<Source> => {
    const { fromGraph } = await optional(() => import('@clewline/langgraph'))
    const graph = await promptGraph({
      adapter,
      prompt,
      name,
      saver: await saverOf(context),
      threadId: context.thread_id,
      emit,
      ...(signal !== undefined && { signal }),
      ...(options.budget !== undefined && { budget: options.budget }),
      ...(options.deadlineMs !== undefined && { deadlineMs: options.deadlineMs }),
      session: options.session?.(context.thread_id) ?? createSession({ id: context.thread_id }),
    })
    return fromGraph(graph, { name })
  }
  const silent: RunContext['emit'] = () => undefined
  const contextWithSaver = async (context: ThreadContext) => ({
    ...context,
    checkpointer: await saverOf(context),
  })

  return {
    name,
    describe: () => ({
      name,
      ...(options.description !== undefined && { description: options.description }),
      input_schema: inputSchema(prompt, template),
      ...(template.output !== undefined && {
        output_schema: asObject(outputSchemaOf(template.output, schemaTitle(template.name))),
      }),
    }),
    async run(request, context) {
      const source = await sourceFor(context, (draft) => context.emit(draft), context.signal)
      return source.run(request, { ...contextOf(context), checkpointer: await saverOf(context) })
    },
    async hasSaved(run, context) {
      const source = await sourceFor(context, silent)
      return source.hasSaved?.(run, await contextWithSaver(context))
    },
    async state(context) {
      const source = await sourceFor(context, silent)
      return source.state?.(await contextWithSaver(context)) ?? unsupported('state')
    },
    async update(values, context) {
      const source = await sourceFor(context, silent)
      return source.update?.(values, await contextWithSaver(context)) ?? unsupported('update')
    },
    async fork(checkpointId, to, context) {
      const source = await sourceFor(context, silent)
      return source.fork?.(checkpointId, to, await contextWithSaver(context)) ?? unsupported('fork')
    },
    async checkpoints(context, page) {
      const source = await sourceFor(context, silent)
      return source.checkpoints?.(await contextWithSaver(context), page) ?? unsupported('checkpoints')
    },
  }
}

/** The methods of a context may need their `this`. */
function contextOf(context: RunContext): RunContext {
  return {
    thread_id: context.thread_id,
    checkpointer: context.checkpointer,
    run_id: context.run_id,
    trace_id: context.trace_id,
    signal: context.signal,
    drain: context.drain,
    emit: (draft) => context.emit(draft),
    isOpen: (path) => context.isOpen(path),
  }
}

function unsupported(what: string): never {
  throw new ClewlineError('unsupported', `Threads of a prompt have no "${what}".`, {
    hint: 'Use another source.',
  })
}

/** By shape: a second copy of the package in node_modules has another class. */
function isSaver(value: unknown): value is BaseCheckpointSaver {
  return isRecord(value) && 'getTuple' in value && 'putWrites' in value
}

function inputSchema(prompt: Prompt | PromptTemplate, template: PromptTemplate): JsonObject {
  const messages = { type: 'array', items: { type: 'object' } }
  const params = 'template' in prompt ? {} : { params: paramsSchema(template.sections) }
  return { type: 'object', properties: { messages, ...params } }
}

/** All parameters of all sections, as one object; those that a section has defaults for are not required. */
function paramsSchema(sections: readonly Section[]): JsonObject {
  const properties: Record<string, unknown> = {}
  const required = new Set<string>()
  const visit = (list: readonly Section[]): void =>
    list.forEach((section) => {
      const schema = section.params === undefined ? {} : looseSchemaOf(section.params)
      // Of a union or an intersection only the names are known to be there.
      Object.assign(
        properties,
        Object.fromEntries(section.names.map((name) => [name, {}])),
        schema['properties'],
      )
      const needed = Array.isArray(schema['required']) ? schema['required'].map(String) : []
      needed.filter((key) => !(key in section.defaults)).forEach((key) => required.add(key))
      visit(section.children)
    })
  visit(sections)
  return asObject({ type: 'object', properties, required: [...required] })
}

function asObject(value: unknown): JsonObject {
  const json = coerce(value)
  return isRecord(json) ? json : {}
}
