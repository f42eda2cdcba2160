import { createHash, randomBytes } from 'node:crypto'
import type { CheckpointsPage, SourceCheckpoint } from '@clewline/core/source'
import { z } from 'zod'
import type { HistoryStore, ThreadRecord } from './history-store.ts'

/** A history that keeps every state it had, so that a thread can be recovered and forked. */
export interface CheckpointHistory extends HistoryStore {
  /** Resolves with the id of the new checkpoint. */
  save(thread: string, record: ThreadRecord): Promise<string>
  /** The newest checkpoint, or null. */
  head(thread: string): Promise<string | null>
  list(thread: string, page?: CheckpointsPage): Promise<readonly SourceCheckpoint[]>
  /** Makes a checkpoint of one thread the first of another. */
  fork(thread: string, checkpoint_id: string, to: string): Promise<void>
}

const CHANNEL = 'langroid'

/** The part of LangGraph's `BaseCheckpointSaver` that is needed. Clewline's stores hand one to every source. */
interface Saver {
  getTuple(config: Config): Promise<unknown>
  put(config: Config, checkpoint: object, metadata: object, versions: object): Promise<unknown>
  list(config: Config, options: { limit: number; before?: Config }): AsyncIterable<unknown>
}

interface Config {
  readonly configurable: {
    readonly thread_id: string
    readonly checkpoint_ns: ''
    readonly checkpoint_id?: string
  }
}

const Tuple = z.object({
  checkpoint: z.looseObject({
    id: z.string(),
    ts: z.string(),
    channel_values: z.looseObject({
      [CHANNEL]: z.custom<ThreadRecord>((value) => typeof value === 'object').optional(),
    }),
  }),
  metadata: z.looseObject({ step: z.number() }).optional(),
  parentConfig: z
    .looseObject({ configurable: z.looseObject({ checkpoint_id: z.string().optional() }) })
    .optional(),
})
type Tuple = z.infer<typeof Tuple>

/** Histories in a LangGraph checkpointer; undefined when what is given is none. */
export function checkpointHistory(checkpointer: unknown): CheckpointHistory | undefined {
  if (!isSaver(checkpointer)) return undefined
  const saver = checkpointer

  async function newest(thread: string, checkpoint_id?: string): Promise<Tuple | undefined> {
    const found = await saver.getTuple(configOf(thread, checkpoint_id))
    return found === undefined ? undefined : Tuple.parse(found)
  }

  async function save(thread: string, record: ThreadRecord): Promise<string> {
    const before = await newest(thread)
    const step = (before?.metadata?.step ?? 0) + 1
    const versions = { [CHANNEL]: step }
    const checkpoint = {
      v: 4,
      id: timeOrderedId(),
      ts: new Date().toISOString(),
      channel_values: { [CHANNEL]: record },
      channel_versions: versions,
      versions_seen: {},
    }
    const metadata = { source: 'loop', step, parents: {} }
    await saver.put(configOf(thread, before?.checkpoint.id), checkpoint, metadata, versions)
    return checkpoint.id
  }

  return {
    save,
    load: async (thread) => (await newest(thread))?.checkpoint.channel_values[CHANNEL],
    head: async (thread) => (await newest(thread))?.checkpoint.id ?? null,
    async list(thread, { limit, before } = { limit: 500 }) {
      const found: SourceCheckpoint[] = []
      const from = before === undefined ? {} : { before: configOf(thread, before) }
      for await (const item of saver.list(configOf(thread), { limit, ...from })) {
        const { checkpoint, metadata, parentConfig } = Tuple.parse(item)
        found.push({
          checkpoint_id: checkpoint.id,
          parent_id: parentConfig?.configurable.checkpoint_id ?? null,
          ts: checkpoint.ts,
          step: metadata?.step ?? 0,
          next: [],
          messages: checkpoint.channel_values[CHANNEL]?.shown.length ?? 0,
        })
      }
      return found
    },
    async fork(thread, checkpoint_id, to) {
      const record = (await newest(thread, checkpoint_id))?.checkpoint.channel_values[CHANNEL]
      if (record !== undefined) await save(to, { ...record, progress: null })
    },
  }
}

/** Content hash of a record: equal records have equal digests. */
export function digestOf(record: ThreadRecord): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('hex').slice(0, 16)
}

function configOf(thread_id: string, checkpoint_id?: string): Config {
  return {
    configurable: { thread_id, checkpoint_ns: '', ...(checkpoint_id !== undefined && { checkpoint_id }) },
  }
}

let lastMillisecond = 0
let countInMillisecond = 0

/** Monotonic UUIDv7, with a counter: savers take the greatest id for the newest checkpoint. */
function timeOrderedId(): string {
  const now = Math.max(Date.now(), lastMillisecond)
  countInMillisecond = now === lastMillisecond ? countInMillisecond + 1 : 0
  lastMillisecond = now
  const time = now.toString(16).padStart(12, '0')
  const count = (0x7000 | (countInMillisecond & 0xfff)).toString(16)
  const random = randomBytes(8)
  random[0] = (random[0]! & 0x3f) | 0x80
  const rest = random.toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-${count}-${rest.slice(0, 4)}-${rest.slice(4)}`
}

function isSaver(value: unknown): value is Saver {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['getTuple', 'put', 'list'].every((name) => typeof Reflect.get(value, name) === 'function')
  )
}
