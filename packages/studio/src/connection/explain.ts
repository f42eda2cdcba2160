import { ClewlineError } from '@clewline/client'

/** Any error as a sentence and what to do about it. */
export function explain(error: unknown): { readonly message: string; readonly hint: string } {
  if (error instanceof ClewlineError) return { message: error.message, hint: error.hint }
  return { message: error instanceof Error ? error.message : String(error), hint: '' }
}
