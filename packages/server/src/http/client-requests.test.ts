import type { CreateCron, CreateRun, CreateThread, ForkThread, Threads, UpdateThread } from '@clewline/client'
import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { cronBody } from './cron-routes.ts'
import type { forkBody } from './fork-routes.ts'
import type { runBody } from './run-routes.ts'
import type { changeBody, createBody, listQuery } from './thread-routes.ts'
import type { importQuery } from './transfer-routes.ts'

/** Readonly or not makes no difference to what is sent. */
type Sent<T> = T extends readonly (infer Item)[]
  ? Sent<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Sent<T[K]> }
    : T

type ListThreads = Omit<NonNullable<Parameters<Threads['list']>[0]>, 'signal'>
type ImportThread = Omit<NonNullable<Parameters<Threads['import']>[1]>, 'signal'>

// Checked by the compiler: what a client may send by its types is what the routes accept by their schemas.
test('the client can send what the routes accept, and nothing else', () => {
  expectTypeOf<Sent<CreateThread>>().toExtend<z.input<typeof createBody>>()
  expectTypeOf<keyof CreateThread>().toEqualTypeOf<keyof z.input<typeof createBody>>()
  expectTypeOf<Sent<UpdateThread>>().toExtend<z.input<typeof changeBody>>()
  expectTypeOf<keyof UpdateThread>().toEqualTypeOf<keyof z.input<typeof changeBody>>()
  expectTypeOf<keyof ListThreads>().toEqualTypeOf<keyof z.input<typeof listQuery>>()
  expectTypeOf<Sent<ForkThread>>().toExtend<z.input<typeof forkBody>>()
  expectTypeOf<keyof ForkThread>().toEqualTypeOf<keyof z.input<typeof forkBody>>()
  expectTypeOf<Sent<ImportThread>>().toExtend<z.input<typeof importQuery>>()
  expectTypeOf<keyof ImportThread>().toEqualTypeOf<keyof z.input<typeof importQuery>>()
  expectTypeOf<Sent<CreateRun>>().toExtend<z.input<typeof runBody>>()
  expectTypeOf<keyof CreateRun>().toEqualTypeOf<keyof z.input<typeof runBody>>()
  expectTypeOf<Sent<CreateCron>>().toExtend<z.input<typeof cronBody>>()
  expectTypeOf<keyof CreateCron>().toEqualTypeOf<keyof z.input<typeof cronBody>>()
})
