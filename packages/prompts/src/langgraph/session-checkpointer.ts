import type { RunnableConfig } from '@langchain/core/runnables'
import type {
  BaseCheckpointSaver,
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from '@langchain/langgraph-checkpoint'
import { optional } from '../adapter/load-langchain.ts'
import type { Session } from '../session/session.ts'
import {
  Checkpoints,
  keyOf,
  missing,
  placeOf,
  RowsAdded,
  upsertRows,
  type CheckpointRow,
  type Packed,
  type Row,
  type WriteRow,
} from './checkpoint-rows.ts'

const prepared = new WeakSet<Session>()

/**
 * A checkpointer that keeps the graph's state in the session, so that one snapshot holds both. For pauses of single
 * evaluations; a database is better for long conversations.
 */
export async function sessionCheckpointer(session: Session): Promise<BaseCheckpointSaver> {
  const { BaseCheckpointSaver, maxChannelVersion, TASKS, WRITES_IDX_MAP } = await optional(
    () => import('@langchain/langgraph-checkpoint'),
  )
  if (!prepared.has(session)) session.register(Checkpoints, RowsAdded, upsertRows)
  prepared.add(session)
  const rows = () => session.query(Checkpoints).all()
  const rowsOf = <K extends Row['kind']>(kind: K, thread: string, ns: string) =>
    rows().filter(
      (row): row is Extract<Row, { kind: K }> => row.kind === kind && row.thread === thread && row.ns === ns,
    )

  class SessionSaver extends BaseCheckpointSaver {
    override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
      const { thread = '', ns = '', id } = placeOf(config)
      const found = rowsOf('checkpoint', thread, ns)
        .filter((row) => id === undefined || row.id === id)
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
      const matching = rows()
        .filter((row) => row.kind === 'checkpoint')
        .filter(
          (row) => (thread === undefined || row.thread === thread) && (ns === undefined || row.ns === ns),
        )
        .filter((row) => (id === undefined || row.id === id) && (before === undefined || row.id < before))
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
      newVersions: ChannelVersions,
    ): Promise<RunnableConfig> {
      const { thread = missing('thread_id'), ns = '', id: parent = null } = placeOf(config)
      const { channel_values, ...rest } = checkpoint
      const channels = Object.entries(newVersions)
        .filter(([channel]) => Object.hasOwn(channel_values, channel))
        .map(async ([channel, version]): Promise<Row> => {
          const value = await this.#pack(channel_values[channel])
          return { kind: 'channel', thread, ns, channel, version: String(version), value }
        })
      const row: CheckpointRow = {
        kind: 'checkpoint',
        thread,
        ns,
        id: checkpoint.id,
        parent,
        checkpoint: await this.#pack(rest),
        metadata: await this.#pack(metadata),
      }
      const added = [...(await Promise.all(channels)), row]
      session.dispatch(RowsAdded(added))
      return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: checkpoint.id } }
    }

    override async putWrites(config: RunnableConfig, writes: PendingWrite[], task: string): Promise<void> {
      const { thread = missing('thread_id'), ns = '', id = missing('checkpoint_id') } = placeOf(config)
      const packed = await Promise.all(
        writes.map(async ([channel, value], at): Promise<WriteRow> => {
          const index = WRITES_IDX_MAP[channel] ?? at
          return { kind: 'write', thread, ns, id, task, index, channel, value: await this.#pack(value) }
        }),
      )
      // Special writes (errors, interrupts: a negative index) replace older ones; others stay as first written.
      const known = new Set(rowsOf('write', thread, ns).map(keyOf))
      const fresh = packed.filter((row) => row.index < 0 || !known.has(keyOf(row)))
      session.dispatch(RowsAdded(fresh))
    }

    override async deleteThread(thread: string): Promise<void> {
      session.clear(Checkpoints, (row) => row.thread === thread)
    }

    async #tuple(row: CheckpointRow): Promise<CheckpointTuple> {
      const { thread, ns } = row
      const at = (id: string) => ({
        configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id },
      })
      return {
        config: at(row.id),
        checkpoint: await this.#checkpoint(row),
        metadata: (await this.#unpack(row.metadata)) as CheckpointMetadata,
        pendingWrites: await this.#writes(row, row.id),
        ...(row.parent !== null && { parentConfig: at(row.parent) }),
      }
    }

    async #checkpoint(row: CheckpointRow): Promise<Checkpoint> {
      const bare = (await this.#unpack(row.checkpoint)) as Omit<Checkpoint, 'channel_values'>
      const channel_values: Record<string, unknown> = {}
      for (const { channel, version, value } of rowsOf('channel', row.thread, row.ns))
        if (String(bare.channel_versions[channel]) === version)
          channel_values[channel] = await this.#unpack(value)
      if (bare.v >= 4 || row.parent === null) return { ...bare, channel_values }
      // Before version 4 the sends of a step were pending writes of the checkpoint before it.
      const sends = (await this.#writes(row, row.parent)).filter(([, channel]) => channel === TASKS)
      const versions = Object.values(bare.channel_versions)
      const version = versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
      return {
        ...bare,
        channel_values: { ...channel_values, [TASKS]: sends.map(([, , value]) => value) },
        channel_versions: { ...bare.channel_versions, [TASKS]: version },
      }
    }

    async #writes(row: CheckpointRow, id: string): Promise<[string, string, unknown][]> {
      const writes = rowsOf('write', row.thread, row.ns).filter((write) => write.id === id)
      return Promise.all(
        writes.map(async ({ task, channel, value }): Promise<[string, string, unknown]> => [
          task,
          channel,
          await this.#unpack(value),
        ]),
      )
    }

    async #pack(value: unknown): Promise<Packed> {
      const [type, bytes] = await this.serde.dumpsTyped(value)
      return [type, Buffer.from(bytes).toString('base64')]
    }

    async #unpack([type, base64]: Packed): Promise<unknown> {
      return this.serde.loadsTyped(type, Buffer.from(base64, 'base64'))
    }
  }
  return new SessionSaver()
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
