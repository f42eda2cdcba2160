import { ClewlineError, type ConnectionStatus } from '@clewline/client'
import { explain } from './explain.ts'

/** Where what a page shows comes from, and how that stands. */
export type Connection =
  | ConnectionStatus
  /** Not retried, because asking again would not change it: no such thread, or no access. */
  | {
      readonly type: 'refused'
      readonly code: ClewlineError['code']
      readonly why: string
      readonly hint: string
    }
  | { readonly type: 'file'; readonly name: string }

/** What a stream of the client threw. */
export function refusedBy(error: unknown): Connection {
  const { message, hint } = explain(error)
  return {
    type: 'refused',
    code: error instanceof ClewlineError ? error.code : 'internal',
    why: message,
    hint,
  }
}
