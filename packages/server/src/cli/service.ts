import type { Entry, Json } from '@skein/core'
import type { Given } from './command.ts'
import type { Io } from './io.ts'

/** What the commands need of a Skein, in this process or behind a URL. */
export interface Service {
  /** Makes the thread, or finds it by its id. */
  thread(thread_id: string | undefined): Promise<string>
  start(thread_id: string, wish: Wish): Promise<{ readonly run_id: string; readonly position: number }>
  run(thread_id: string, run_id: string): Promise<RunState>
  cancel(thread_id: string, run_id: string): Promise<void>
  /** Position of the newest envelope. Throws when there is no such thread. */
  last(thread_id: string): Promise<number>
  read(thread_id: string, options: ReadWish): AsyncIterable<Entry>
  close(): Promise<void>
}

export type Wish = { readonly agent: string } & (
  | { readonly input: Json }
  | { readonly resume: readonly { readonly interrupt_id?: string; readonly value: Json }[] }
)

export interface RunState {
  readonly status: 'pending' | 'running' | 'success' | 'error' | 'interrupted' | 'cancelled'
  readonly error?: { readonly name: string; readonly message: string } | null
}

export interface ReadWish {
  readonly after: number
  readonly follow: boolean
  readonly signal: AbortSignal
}

/** Options of every command that talks to a Skein. */
export const SERVER_OPTIONS = {
  url: { value: 'URL', about: 'A running Skein (or SKEIN_URL).' },
  token: { value: 'TOKEN', about: 'Its token, if it asks for one (or SKEIN_TOKEN).' },
} as const

/** Options of every command that opens a store and agents itself. */
export const STORE_OPTIONS = {
  store: {
    value: 'DIR',
    about: 'Where threads are kept: a directory, :memory:, or postgres://… (default .skein).',
  },
  config: { value: 'FILE', about: 'skein.config.ts or langgraph.json (default: the one in this directory).' },
  model: {
    value: 'PROVIDER:NAME',
    about: 'The model that agents use unless they say otherwise (or SKEIN_MODEL).',
  },
} as const

export const DEFAULT_URL = 'http://127.0.0.1:8123'

export const urlOf = (given: Given, io: Io): string | undefined => given.text('url') ?? io.env['SKEIN_URL']

export const tokenOf = (given: Given, io: Io): string | undefined =>
  given.text('token') ?? io.env['SKEIN_TOKEN']
