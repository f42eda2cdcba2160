import { ClewlineError } from '@clewline/core'
import type { Source } from '@clewline/core/source'
import type { HttpBindings } from '@hono/node-server'
import { type AgentLike, sourceOf } from './config/source-of.ts'
import { createCipher, type EncryptionOptions } from './encrypt/cipher.ts'
import { encryptStore } from './encrypt/encrypt-store.ts'
import type { Authenticate, Authentication } from './http/authentication.ts'
import { createApp } from './http/create-app.ts'
import { studioFolder } from './http/studio-files.ts'
import type { ServiceFacts } from './http/service-routes.ts'
import { failureToStderr } from './runtime/failure-text.ts'
import { createRuntime, type Runtime, type RuntimeOptions } from './runtime/create-runtime.ts'
import { openStore } from './store/open-store.ts'
import type { Store } from './store/store.ts'
import { VERSION } from './version.ts'

/** The agents, where their threads are kept, and who may come in. */
export interface ClewlineOptions extends RuntimeOptions {
  /** By name: a `Source`, or a compiled LangGraph graph, or what `createAgent` returns. */
  readonly agents: Readonly<Record<string, AgentLike>>
  /** A directory (default `.clewline`), `:memory:`, `postgres://…`, or a store of your own. */
  readonly store?: string | Store
  /** `full`: each batch of a SQLite store also survives a power cut, at about 1.4 times the cost. Default `normal`. */
  readonly durability?: 'normal' | 'full'
  /** Encrypts states, run requests and cron inputs in the store. Not the log: see `redact`, and docs/security.md. */
  readonly encryption?: EncryptionOptions
  /** Everyone must send it as `Authorization: Bearer`. */
  readonly token?: string
  /** Says who a request is from; threads then belong to the user who made them. */
  readonly authenticate?: Authenticate
  /** Origins of pages that may call the API. Default none. */
  readonly allowedOrigins?: readonly string[]
  /** Where `fetch` is mounted in another app, such as `/clewline`. Default: at the root. */
  readonly basePath?: string
  /** Largest request body. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /** Most values in a request body: items of arrays and fields of objects, all together. Default 50,000. */
  readonly maxBodyItems?: number
  /**
   * Keys of `config.configurable` that clients may set. Default any, but those that Clewline and LangGraph set themselves;
   * what an agent's own config sets under a key always comes first.
   */
  readonly configurable?: readonly string[]
  /** Keys of AG-UI's `forwardedProps` that reach the agents. Default none. */
  readonly forwardedProps?: readonly string[]
  /** False: do not serve the studio at `/`. */
  readonly studio?: boolean
  /** What `GET /info` tells about the model and its prices. */
  readonly info?: Partial<Pick<ServiceFacts, 'name' | 'model' | 'scripted' | 'prices'>>
}

/** Threads, runs and crons over a durable log; in process, and as a web-standard `fetch` handler. */
export interface Clewline extends Runtime {
  fetch(request: Request, node?: HttpBindings): Response | Promise<Response>
  readonly hasAuth: boolean
}

/** Opens the store, takes up what an earlier process left, and is ready for runs. */
export async function createClewline(options: ClewlineOptions): Promise<Clewline> {
  const agents = new Map<string, Source>()
  for (const [name, agent] of Object.entries(options.agents)) agents.set(name, sourceOf(name, agent))
  const authentication = authenticationOf(options)
  const cipher = createCipher(options.encryption)
  const opened = await storeOf(options)
  const store = await encryptStore(opened, cipher).catch(async (error: unknown) => {
    await opened.close()
    throw error
  })
  const runtime = await createRuntime(agents, store, options)
  const info: ServiceFacts = {
    name: 'clewline',
    model: null,
    scripted: false,
    prices: {},
    ...options.info,
    version: VERSION,
    auth: authentication.kind !== 'none',
  }
  const app = createApp(runtime, {
    info,
    authentication,
    allowedOrigins: options.allowedOrigins ?? [],
    basePath: basePathOf(options.basePath ?? ''),
    maxBodyBytes: options.maxBodyBytes ?? 4 * 1024 * 1024,
    maxBodyItems: options.maxBodyItems ?? 50_000,
    configurable: options.configurable,
    forwardedProps: options.forwardedProps ?? [],
    studio: options.studio === false ? null : studioFolder(),
    debug: options.debug ?? false,
    onFailure: options.onFailure ?? failureToStderr,
  })
  return {
    ...runtime,
    fetch: (request, node) => app.fetch(request, node),
    hasAuth: info.auth,
    async close(how) {
      app.close()
      await runtime.close(how)
    },
  }
}

async function storeOf({ store = '.clewline', durability = 'normal', now }: ClewlineOptions): Promise<Store> {
  return typeof store === 'string' ? await openStore(store, { durability, ...(now && { now }) }) : store
}

function authenticationOf({ token, authenticate }: ClewlineOptions): Authentication {
  if (token !== undefined && authenticate !== undefined) {
    throw new ClewlineError('bad-config', 'Both "token" and "authenticate" are set.', {
      hint: 'Keep one of them.',
    })
  }
  if (token === '') {
    throw new ClewlineError('bad-config', 'The token is empty.', {
      hint: 'Set a long random token, or leave it out.',
    })
  }
  if (token !== undefined) return { kind: 'token', token }
  if (authenticate !== undefined) return { kind: 'custom', authenticate }
  return { kind: 'none' }
}

function basePathOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  if (trimmed === '' || /^(\/[\w.-]+)+$/.test(trimmed)) return trimmed
  throw new ClewlineError('bad-config', `"${path}" is not a base path.`, {
    hint: 'Write it like "/clewline".',
  })
}
