import type { z } from 'zod'

/**
 * The fields of a schema for a type of `@clewline/client`: `z.object({ … } satisfies Shape<Thread>)` compiles only with each
 * field of the type, of its type and as optional as there, and no other. So what the server answers and what the client
 * promises cannot drift.
 */
export type Shape<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K>
    ? z.ZodExactOptional<z.ZodType<T[K]>>
    : z.ZodType<T[K]> & { readonly type: Exclude<z.ZodType['type'], 'optional'> }
}
