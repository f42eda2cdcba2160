import { ClewlineError } from '@clewline/core'

/** What a timer can hold, 24 days; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Rejects as `unavailable` when a promise takes longer than `ms`; the promise itself goes on. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  if (ms > MAX_TIMER_MS) return promise
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(silent(ms)), ms)
  })
  try {
    return await Promise.race([promise, silence])
  } finally {
    clearTimeout(timer)
  }
}

function silent(ms: number): ClewlineError {
  return new ClewlineError('unavailable', `The server was silent for ${ms / 1000} s.`, {
    hint: 'Check the network between here and the server.',
  })
}
