import type { Given } from './command.ts'
import type { Io } from './io.ts'

/** Options of every command that talks to a Clewline. */
export const SERVER_OPTIONS = {
  url: { value: 'URL', about: 'A running Clewline (or CLEWLINE_URL).' },
  token: { value: 'TOKEN', about: 'Its token, if it asks for one (or CLEWLINE_TOKEN).' },
} as const

/** Options of every command that opens a store and agents itself. */
export const STORE_OPTIONS = {
  store: {
    value: 'DIR',
    about: 'Where threads are kept: a directory, :memory:, or postgres://… (default .clewline).',
  },
  config: {
    value: 'FILE',
    about: 'clewline.config.ts or langgraph.json (default: the one in this directory).',
  },
  model: {
    value: 'PROVIDER:NAME',
    about: 'The model that agents use unless they say otherwise (or CLEWLINE_MODEL).',
  },
} as const

/** Of commands that run agents until they are stopped. */
export const DRAIN_OPTIONS = {
  'drain-seconds': {
    value: 'N',
    about: 'How long runs may take to get to a point from which others go on, after SIGTERM (default 10).',
  },
} as const

/** Where `clewline start` listens by default. */
export const DEFAULT_URL = 'http://127.0.0.1:8123'

export const urlOf = (given: Given, io: Io): string | undefined => given.text('url') ?? io.env['CLEWLINE_URL']

export const tokenOf = (given: Given, io: Io): string | undefined =>
  given.text('token') ?? io.env['CLEWLINE_TOKEN']
