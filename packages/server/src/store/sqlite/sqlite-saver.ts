import type { RunnableConfig } from '@langchain/core/runnables'
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  copyCheckpoint,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  TASKS,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint'
import { checkpointSerde } from '@clewline/langgraph'
import type { Database } from './database.ts'
import { saverStatements, type CheckpointRow, type SaverStatements } from './saver-statements.ts'

/**
 * LangGraph checkpoints in the same file as the log. Each channel's value is stored once per version, so a large
 * file in the state is not written again with every superstep. docs/decisions/0300 says why it is ours.
 */
// A class because LangGraph demands `extends BaseCheckpointSaver`.
export class SqliteSaver extends BaseCheckpointSaver {
  readonly #database: Database
  readonly #sql: SaverStatements

  constructor(database: Database) {
    super(checkpointSerde)
    this.#database = database
    this.#sql = saverStatements(database)
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.['thread_id'] === undefined) return undefined
    const { thread_id, ns } = placeOf(config)
    const wanted = getCheckpointId(config)
    const row = wanted === '' ? this.#sql.newest.get(thread_id, ns) : this.#sql.one.get(thread_id, ns, wanted)
    return row === undefined ? undefined : this.#tuple(row)
  }

  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { before, limit = Infinity, filter = {} } = options
    const configurable = config.configurable ?? {}
    const rows = this.#sql.page.all(
      configurable['thread_id'] ?? null,
      configurable['checkpoint_ns'] ?? null,
      configurable['checkpoint_id'] ?? null,
      before?.configurable?.['checkpoint_id'] ?? null,
    )
    let found = 0
    for (const { thread_id, ns, checkpoint_id } of rows) {
      if (found >= limit) return
      const row = this.#sql.one.get(thread_id, ns, checkpoint_id)
      if (row === undefined) continue
      const metadata = await this.#load<CheckpointMetadata>(row.type, row.metadata)
      const facts = new Map<string, unknown>(Object.entries(metadata))
      if (Object.entries(filter).some(([key, value]) => facts.get(key) !== value)) continue
      found += 1
      yield await this.#tuple(row)
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread_id, ns } = placeOf(config)
    const parent: unknown = config.configurable?.['checkpoint_id']
    const { channel_values, ...rest } = copyCheckpoint(checkpoint)
    const [[type, body], [, facts], values] = await Promise.all([
      this.serde.dumpsTyped({ ...rest, channel_values: {} }),
      this.serde.dumpsTyped(metadata),
      Promise.all(
        Object.entries(newVersions)
          .filter(([channel]) => channel in channel_values)
          .map(async ([channel, version]) => ({
            channel,
            version: String(version),
            dumped: await this.serde.dumpsTyped(channel_values[channel]),
          })),
      ),
    ])
    this.#database.transaction(() => {
      for (const { channel, version, dumped } of values)
        this.#sql.putValue.run(thread_id, ns, channel, version, dumped[0], dumped[1])
      this.#sql.put.run(
        thread_id,
        ns,
        checkpoint.id,
        typeof parent === 'string' ? parent : null,
        type,
        body,
        facts,
      )
    })
    return { configurable: { thread_id, checkpoint_ns: ns, checkpoint_id: checkpoint.id } }
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { thread_id, ns } = placeOf(config)
    const checkpoint_id = getCheckpointId(config)
    if (checkpoint_id === '')
      throw new TypeError('Writes need a checkpoint: pass configurable.checkpoint_id.')
    const dumped = await Promise.all(writes.map(([, value]) => this.serde.dumpsTyped(value)))
    // Special writes (errors, interrupts, resumes) have a place of their own and replace; ordinary ones stay as first written.
    const isSpecial = writes.every(([channel]) => channel in WRITES_IDX_MAP)
    const statement = isSpecial ? this.#sql.replaceWrite : this.#sql.keepWrite
    this.#database.transaction(() => {
      writes.forEach(([channel], i) => {
        const [type, value] = dumped[i]!
        statement.run(
          thread_id,
          ns,
          checkpoint_id,
          taskId,
          WRITES_IDX_MAP[channel] ?? i,
          channel,
          type,
          value,
        )
      })
    })
  }

  override async deleteThread(threadId: string): Promise<void> {
    this.#database.transaction(() => {
      for (const removal of this.#sql.removals) removal.run(threadId)
    })
  }

  async #tuple(row: CheckpointRow): Promise<CheckpointTuple> {
    const { thread_id, ns, checkpoint_id, parent_id } = row
    const stored = await this.#load<Checkpoint>(row.type, row.checkpoint)
    const channel_values: Record<string, unknown> = {}
    for (const [channel, version] of Object.entries(stored.channel_versions)) {
      const value = this.#sql.value.get(thread_id, ns, channel, String(version))
      if (value !== undefined) channel_values[channel] = await this.#load(value.type, value.value)
    }
    const checkpoint: Checkpoint = { ...stored, channel_values }
    if (stored.v < 4 && parent_id !== null) await this.#withSends(checkpoint, { ...row, parent_id })
    const pendingWrites = await Promise.all(
      this.#sql.writes
        .all(thread_id, ns, checkpoint_id)
        .map(async (write): Promise<[string, string, unknown]> => [
          write.task_id,
          write.channel,
          await this.#load(write.type, write.value),
        ]),
    )
    return {
      config: { configurable: { thread_id, checkpoint_ns: ns, checkpoint_id } },
      checkpoint,
      metadata: await this.#load<CheckpointMetadata>(row.type, row.metadata),
      pendingWrites,
      ...(parent_id === null
        ? {}
        : { parentConfig: { configurable: { thread_id, checkpoint_ns: ns, checkpoint_id: parent_id } } }),
    }
  }

  /** Before version 4 of LangGraph's format, sends stood in the parent's writes: an imported store may hold such. */
  async #withSends(checkpoint: Checkpoint, row: CheckpointRow & { parent_id: string }): Promise<void> {
    const writes = this.#sql.writes.all(row.thread_id, row.ns, row.parent_id)
    checkpoint.channel_values[TASKS] = await Promise.all(
      writes.filter(({ channel }) => channel === TASKS).map(({ type, value }) => this.#load(type, value)),
    )
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
  }

  async #load<T>(type: string, bytes: Uint8Array): Promise<T> {
    return await this.serde.loadsTyped(type, bytes)
  }
}

function placeOf(config: RunnableConfig): { thread_id: string; ns: string } {
  const thread_id: unknown = config.configurable?.['thread_id']
  const ns: unknown = config.configurable?.['checkpoint_ns']
  if (typeof thread_id !== 'string') {
    throw new TypeError('A checkpoint needs a thread: pass configurable.thread_id.')
  }
  return { thread_id, ns: typeof ns === 'string' ? ns : '' }
}
