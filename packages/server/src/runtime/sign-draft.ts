import type { Decision } from '@clewline/core'
import type { Draft } from '@clewline/core/source'
import type { Run } from '../store/store.ts'

/**
 * The draft with its author, which only the runtime knows: the root says who started the run, and the resume of a root
 * who answered which question, and when. `isResume`: the run goes on with its answers, not by itself after a crash.
 */
export function signDraft(draft: Draft, run: Run, isResume: boolean): Draft {
  if (draft.path.length > 0) return draft
  if (draft.type === 'tool_start') return { ...draft, payload: { ...draft.payload, by: authorOf(run) } }
  if (draft.type !== 'subgraph_resume' || !isResume) return draft
  return { ...draft, payload: { ...draft.payload, answers: decisionsOf(run) } }
}

export function authorOf({ request }: Run): string | null {
  return request.user?.identity ?? null
}

function decisionsOf(run: Run): readonly Decision[] {
  const { request, created_at } = run
  if (request.kind !== 'resume') return []
  return request.answers.map(({ interrupt_id, question_id, value }) => ({
    // A graph that stopped at a breakpoint asked nothing.
    interrupt_id: interrupt_id ?? '',
    ...(question_id !== undefined && { question_id }),
    value,
    by: authorOf(run),
    at: Date.parse(created_at) / 1000,
  }))
}
