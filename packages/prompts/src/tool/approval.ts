import { isRecord } from '@clewline/core'

/** What a tool that needs approval asks. */
export interface ApprovalRequest {
  readonly type: 'approval'
  readonly tool: string
  readonly callId: string
  readonly params: unknown
}

export type Approval =
  | { readonly approved: true; readonly params?: unknown }
  | { readonly approved: false; readonly reason: string }

/**
 * Reads an answer: `true`, `{ approve, reason?, params? }`, or the decisions of LangChain's human-in-the-loop
 * (`approve`, `edit` with args, `reject` with message). Anything else denies: silence is not consent.
 */
export function readApproval(answer: unknown): Approval {
  if (answer === true) return { approved: true }
  if (!isRecord(answer)) return deny(undefined)
  const decisions = answer['decisions']
  if (Array.isArray(decisions)) return readApproval(decisions[0])
  if (answer['approve'] === true || answer['approved'] === true || answer['type'] === 'approve')
    return answer['params'] === undefined ? { approved: true } : { approved: true, params: answer['params'] }
  if (answer['type'] === 'edit') {
    const edited = isRecord(answer['editedAction']) ? answer['editedAction'] : answer
    return { approved: true, params: edited['args'] }
  }
  return deny(answer['reason'] ?? answer['message'])
}

function deny(reason: unknown): Approval {
  return { approved: false, reason: typeof reason === 'string' ? reason : 'no reason was given' }
}
