import type { RunnableConfig } from '@langchain/core/runnables'
import type {
  BaseCheckpointSaver,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from '@langchain/langgraph-checkpoint'
import { optional } from '../adapter/load-langchain.ts'
import { fromJsonSchema } from '../schema/from-json-schema.ts'
import type { Session } from '../session/session.ts'
import { slice, type Slice } from '../session/slice.ts'

/** A value as the serialiser wrote it, as JSON can hold it. */
type Packed = readonly [type: string, base64: string]

interface CheckpointRow {
  readonly kind: 'checkpoint'
  readonly thread: string
  readonly ns: string
  readonly id: string
  readonly parent: string | null
  readonly checkpoint: Packed
  readonly metadata: Packed
}

interface WriteRow {
  readonly kind: 'write'
  readonly thread: string
  readonly ns: string
  readonly id: string
  readonly task: string
  readonly index: number
  readonly channel: string
  readonly value: Packed
}

type Row = CheckpointRow | WriteRow

/** A log: a tool that fails must not rewind the graph that runs it. */
const Checkpoints: Slice<Row> = slice('skein.checkpoints', fromJsonSchema<Row>({ type: 'object' }), 'log')

/**
 * A checkpointer that keeps the graph's state in the session, so that one snapshot holds both. For pauses of single
 * evaluations; a database is better for long conversations.
 */
export async function sessionCheckpointer(session: Session): Promise<BaseCheckpointSaver> {
  const { BaseCheckpointSaver, copyCheckpoint, WRITES_IDX_MAP } = await optional(
    () => import('@langchain/langgraph-checkpoint'),
  )
  session.add(Checkpoints)
  const rows = () => session.query(Checkpoints).all()
  const checkpoints = () => rows().filter((row) => row.kind === 'checkpoint')
  const change = (next: (rows: readonly Row[]) => readonly Row[]) => session.seed(Checkpoints, next(rows()))

  class SessionSaver extends BaseCheckpointSaver {
    async #pack(value: unknown): Promise<Packed> {
      const [type, bytes] = await this.serde.dumpsTyped(value)
      return [type, Buffer.from(bytes).toString('base64')]
    }

    async #unpack([type, base64]: Packed): Promise<unknown> {
      return this.serde.loadsTyped(type, Buffer.from(base64, 'base64'))
    }

    async #tuple(row: CheckpointRow): Promise<CheckpointTuple> {
      const writes = rows().filter(
        (each) =>
          each.kind === 'write' && each.thread === row.thread && each.ns === row.ns && each.id === row.id,
      )
      const pendingWrites: [string, string, unknown][] = []
      for (const each of writes)
        if (each.kind === 'write')
          pendingWrites.push([each.task, each.channel, await this.#unpack(each.value)])
      const at = (id: string) => ({
        configurable: { thread_id: row.thread, checkpoint_ns: row.ns, checkpoint_id: id },
      })
      return {
        config: at(row.id),
        checkpoint: (await this.#unpack(row.checkpoint)) as Checkpoint,
        metadata: (await this.#unpack(row.metadata)) as CheckpointMetadata,
        pendingWrites,
        ...(row.parent === null ? {} : { parentConfig: at(row.parent) }),
      }
    }

    override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
      const { thread, ns, id } = placeOf(config)
      const found = checkpoints()
        .filter(
          (row) => row.thread === thread && row.ns === (ns ?? '') && (id === undefined || row.id === id),
        )
        .reduce<CheckpointRow | undefined>(
          (newest, row) => (newest === undefined || row.id > newest.id ? row : newest),
          undefined,
        )
      return found === undefined ? undefined : this.#tuple(found)
    }

    override async *list(
      config: RunnableConfig,
      options: CheckpointListOptions = {},
    ): AsyncGenerator<CheckpointTuple> {
      const { thread, ns, id } = placeOf(config)
      const before = options.before === undefined ? undefined : placeOf(options.before).id
      let left = options.limit ?? Number.POSITIVE_INFINITY
      const matching = checkpoints()
        .filter((row) => thread === undefined || row.thread === thread)
        .filter((row) => ns === undefined || row.ns === ns)
        .filter((row) => id === undefined || row.id === id)
        .filter((row) => before === undefined || row.id < before)
        .sort((a, b) => (a.id < b.id ? 1 : -1))
      for (const row of matching) {
        if (left <= 0) return
        const tuple = await this.#tuple(row)
        if (!fits(tuple.metadata, options.filter)) continue
        left -= 1
        yield tuple
      }
    }

    override async put(
      config: RunnableConfig,
      checkpoint: Checkpoint,
      metadata: CheckpointMetadata,
    ): Promise<RunnableConfig> {
      const { thread = missingThread(), ns = '', id: parent = null } = placeOf(config)
      const row: CheckpointRow = {
        kind: 'checkpoint',
        thread,
        ns,
        id: checkpoint.id,
        parent,
        checkpoint: await this.#pack(copyCheckpoint(checkpoint)),
        metadata: await this.#pack(metadata),
      }
      change((before) => [
        ...before.filter((each) => !(each.kind === 'checkpoint' && isSame(each, row))),
        row,
      ])
      return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: checkpoint.id } }
    }

    override async putWrites(config: RunnableConfig, writes: PendingWrite[], task: string): Promise<void> {
      const { thread = missingThread(), ns = '', id } = placeOf(config)
      if (id === undefined)
        throw new Error('Pending writes belong to a checkpoint: configurable.checkpoint_id is missing.')
      const packed = await Promise.all(
        writes.map(async ([channel, value], index): Promise<WriteRow> => {
          const at = WRITES_IDX_MAP[channel] ?? index
          return { kind: 'write', thread, ns, id, task, index: at, channel, value: await this.#pack(value) }
        }),
      )
      change((before) => {
        // Special writes (a negative index: errors, interrupts) replace; others are kept as first written.
        const isOld = (row: WriteRow) =>
          before.some(
            (each) =>
              each.kind === 'write' &&
              isSame(each, row) &&
              each.task === row.task &&
              each.index === row.index,
          )
        const fresh = packed.filter((row) => row.index < 0 || !isOld(row))
        const kept = before.filter(
          (each) =>
            each.kind !== 'write' ||
            !fresh.some((row) => isSame(each, row) && each.task === row.task && each.index === row.index),
        )
        return [...kept, ...fresh]
      })
    }

    override async deleteThread(thread: string): Promise<void> {
      change((before) => before.filter((row) => row.thread !== thread))
    }
  }
  return new SessionSaver()
}

const isSame = (a: Row, b: Row) => a.thread === b.thread && a.ns === b.ns && a.id === b.id

function placeOf(config: RunnableConfig): { thread?: string; ns?: string; id?: string } {
  const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable ?? {}
  return {
    ...(thread_id !== undefined && { thread: String(thread_id) }),
    ...(checkpoint_ns !== undefined && { ns: String(checkpoint_ns) }),
    ...(checkpoint_id !== undefined && { id: String(checkpoint_id) }),
  }
}

function fits(
  metadata: CheckpointMetadata | undefined,
  filter: Record<string, unknown> | undefined,
): boolean {
  return Object.entries(filter ?? {}).every(
    ([key, value]) =>
      metadata !== undefined && key in metadata && Object.is(Reflect.get(metadata, key), value),
  )
}

function missingThread(): never {
  throw new Error('A checkpoint belongs to a thread: configurable.thread_id is missing.')
}
