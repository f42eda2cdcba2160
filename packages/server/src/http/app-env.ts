import type { HttpBindings } from '@hono/node-server'
import type { Caller } from './route.ts'

/** What a request carries through the app. */
export interface AppEnv {
  readonly Bindings: { readonly node?: HttpBindings | undefined }
  readonly Variables: { caller: Caller }
}
