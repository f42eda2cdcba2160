/** The outcome of a fan-out: how many handled it, and which failed. One failure never stops the others. */
export interface Delivery<F extends { readonly error: unknown }> {
  readonly handled: number
  readonly errors: readonly F[]
  readonly ok: boolean
  /** Throws an `AggregateError` of all failures; does nothing when there are none. */
  throwIfErrors(): void
}

export function delivery<F extends { readonly error: unknown }>(
  what: string,
  handled: number,
  errors: readonly F[],
): Delivery<F> {
  return {
    handled,
    errors,
    ok: errors.length === 0,
    throwIfErrors() {
      if (errors.length === 0) return
      throw new AggregateError(
        errors.map((each) => each.error),
        `${errors.length} of ${handled} failed on ${what}: ${errors.map((each) => messageOf(each.error)).join('; ')}`,
      )
    },
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
