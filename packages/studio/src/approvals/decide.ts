import type { Json, JsonObject } from '@clewline/core'
import { parseJson } from '../parse-json.ts'
import type { Decision, ReviewedAction } from './review.ts'

/** What a person has put into the form of one action, so far. */
export interface ActionDraft {
  readonly decision: Decision | null
  /** Edited arguments, as JSON text. */
  readonly args: string
  /** Why it is rejected. */
  readonly message: string
}

export function draftFor(action: ReviewedAction): ActionDraft {
  return { decision: null, args: JSON.stringify(action.args, null, 2), message: '' }
}

/** The answer that the middleware reads, or what is still wrong with it. */
export function decisionsOf(
  actions: readonly ReviewedAction[],
  drafts: readonly ActionDraft[],
): { readonly value: Json } | { readonly problem: string } {
  const decisions: JsonObject[] = []
  for (const [index, action] of actions.entries()) {
    const draft = drafts[index]
    if (draft === undefined || draft.decision === null) return { problem: `Decide about ${action.name}.` }
    if (draft.decision === 'approve') decisions.push({ type: 'approve' })
    else if (draft.decision === 'reject') {
      decisions.push({
        type: 'reject',
        ...(draft.message.trim() !== '' && { message: draft.message.trim() }),
      })
    } else {
      const args = parseJson(draft.args)
      if (args === undefined) return { problem: `The arguments of ${action.name} are not valid JSON.` }
      decisions.push({ type: 'edit', editedAction: { name: action.name, args } })
    }
  }
  return { value: { decisions } }
}
