import type { Draft } from './draft.ts'
import { isCompletion } from '../message/is-completion.ts'
import { normalise } from '../message/normalise.ts'
import type { RunContext, Source } from './source.ts'

/** What is said when a graph is done, and of which graphs. */
export interface CompletionSignal {
  /** Name of the tool call that says it, `research_done` for example. */
  readonly name: string
  /** Names of the graphs, sub-graphs and sub-agents whose completion is signalled. Absent: the run itself. */
  readonly of?: readonly string[]
}

/**
 * The same source, which also says in a tool call of its own that a graph is done, with the normalised result, for
 * readers that wait for a named call rather than for the end of another.
 */
export function withCompletionSignal(source: Source, signal: CompletionSignal): Source {
  return {
    ...source,
    run: (request, context) =>
      source.run(request, { ...context, emit: (draft) => emitAll(withSignal(draft, signal), context) }),
  }
}

function withSignal(draft: Draft, { name, of }: CompletionSignal): readonly Draft[] {
  if (draft.type !== 'tool_end' || draft.payload.status !== 'ok') return [draft]
  const isMeant = of === undefined ? draft.path.length === 0 : of.includes(draft.payload.tool_name)
  if (!isMeant) return [draft]
  const { result } = draft.payload
  const about = { path: [...draft.path, `signal:${name}`], agent: draft.agent }
  return [
    { type: 'tool_start', ...about, payload: { tool_name: name, kind: 'tool', args: {} } },
    {
      type: 'tool_end',
      ...about,
      payload: { tool_name: name, result: isCompletion(result) ? result : normalise(result), status: 'ok' },
    },
    draft,
  ]
}

/** In order, and without a promise while there is room. */
function emitAll(drafts: readonly Draft[], context: RunContext): void | Promise<void> {
  const [draft, ...rest] = drafts
  if (draft === undefined) return undefined
  const waiting = context.emit(draft)
  if (rest.length === 0) return waiting
  return waiting === undefined ? emitAll(rest, context) : waiting.then(() => emitAll(rest, context))
}
