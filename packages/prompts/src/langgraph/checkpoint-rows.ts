import type { RunnableConfig } from '@langchain/core/runnables'
import { fromJsonSchema } from '../schema/from-json-schema.ts'
import { action, slice, type Slice } from '../session/slice.ts'

/** A value as the serialiser wrote it, as JSON can hold it. */
export type Packed = readonly [type: string, base64: string]

/** A moment of a graph. */
interface Place {
  readonly thread: string
  readonly ns: string
}

export interface CheckpointRow extends Place {
  readonly kind: 'checkpoint'
  readonly id: string
  readonly parent: string | null
  /** Without the values of its channels: those are rows of their own, shared by all moments in which they hold. */
  readonly checkpoint: Packed
  readonly metadata: Packed
}

interface ChannelRow extends Place {
  readonly kind: 'channel'
  readonly channel: string
  readonly version: string
  readonly value: Packed
}

export interface WriteRow extends Place {
  readonly kind: 'write'
  readonly id: string
  readonly task: string
  readonly index: number
  readonly channel: string
  readonly value: Packed
}

export type Row = CheckpointRow | ChannelRow | WriteRow

/** A log: a tool that fails must not rewind the graph that runs it. */
export const Checkpoints: Slice<Row> = slice(
  'clewline.checkpoints',
  fromJsonSchema<Row>({ type: 'object' }),
  'log',
)

export const RowsAdded = action(
  'clewline.checkpoints-added',
  fromJsonSchema<readonly Row[]>({ type: 'array' }),
)

/** Adds rows; one with the key of an older one takes its place. */
export function upsertRows(rows: readonly Row[], added: readonly Row[]): readonly Row[] {
  const keys = new Set(added.map(keyOf))
  return [...rows.filter((row) => !keys.has(keyOf(row))), ...added]
}

export function keyOf(row: Row): string {
  const place = [row.kind, row.thread, row.ns]
  switch (row.kind) {
    case 'checkpoint':
      return JSON.stringify([...place, row.id])
    case 'channel':
      return JSON.stringify([...place, row.channel, row.version])
    case 'write':
      return JSON.stringify([...place, row.id, row.task, row.index])
  }
}

/** Where a config points to. */
export function placeOf(config: RunnableConfig): { thread?: string; ns?: string; id?: string } {
  const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable ?? {}
  return {
    ...(thread_id !== undefined && { thread: String(thread_id) }),
    ...(checkpoint_ns !== undefined && { ns: String(checkpoint_ns) }),
    ...(checkpoint_id !== undefined && { id: String(checkpoint_id) }),
  }
}

export function missing(key: string): never {
  throw new Error(`The config of a checkpoint needs configurable.${key}.`)
}
