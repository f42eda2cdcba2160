import { ClewlineError } from '@clewline/core'

/** Safe in a path, a header, a file name and a line of a log. */
export const ID = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/

/** Ids may come from clients, over whatever protocol; none gets into the store unchecked. */
export function checkId(what: 'thread_id' | 'run_id', value: string | undefined): void {
  if (value === undefined) return
  // `/api/threads/import` is a route of its own: a thread of that name could not be reached.
  if (what === 'thread_id' && value === 'import') {
    throw new ClewlineError('bad-request', 'The thread_id "import" is reserved.', {
      hint: 'Choose another one, or leave it out.',
    })
  }
  if (ID.test(value)) return
  throw new ClewlineError('bad-request', `${JSON.stringify(value.slice(0, 80))} is not a ${what}.`, {
    hint: 'Use 1 to 128 letters, digits or . _ : @ -, starting with a letter or digit; or leave it out.',
  })
}
