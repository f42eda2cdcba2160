import { ClewlineError } from '../clewline-error.ts'

/** Any error as one that a client may see. What was not meant for a caller becomes `internal`, without its message. */
export function publicError(error: unknown): ClewlineError {
  if (error instanceof ClewlineError) return error
  return new ClewlineError('internal', 'Something went wrong in the server.', {
    hint: 'Try again; a Clewline server that is started with --debug shows the error here.',
    cause: error,
  })
}
