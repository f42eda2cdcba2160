import { ClewlineError, isRecord } from '@clewline/core'
import { messageOf } from '../events/delivery.ts'
import { validateNow } from '../schema/schema.ts'
import type { SliceValues } from './layer.ts'
import type { Slice } from './slice.ts'

/** A session's values as JSON. */
export interface Snapshot {
  readonly version: 1
  readonly sessionId: string
  readonly createdAt: string
  readonly tags: Readonly<Record<string, string>>
  readonly slices: Readonly<Record<string, readonly unknown[]>>
}

/** A snapshot that this session cannot take. Nothing was changed. */
export class SnapshotRestoreError extends ClewlineError {
  constructor(message: string, options: { hint: string; cause?: unknown }) {
    super('bad-file', message, options)
    this.name = 'SnapshotRestoreError'
  }
}

/** Validates all of it before any of it is used. */
export function readSnapshot(
  from: Snapshot | string,
  slices: ReadonlyMap<string, Slice<unknown>>,
): Map<string, SliceValues> {
  const document: unknown = typeof from === 'string' ? parse(from) : from
  if (!isRecord(document) || !isRecord(document['slices']))
    throw new SnapshotRestoreError('This is not a snapshot of a session.', {
      hint: 'Pass what session.snapshot() returned, or its JSON.',
    })
  if (document['version'] !== 1)
    throw new SnapshotRestoreError(`A snapshot of version ${String(document['version'])} cannot be read.`, {
      hint: 'This release reads version 1.',
    })
  const unknown = Object.keys(document['slices']).filter((name) => !slices.has(name))
  if (unknown.length > 0)
    throw new SnapshotRestoreError(`Slices not registered: ${unknown.join(', ')}.`, {
      hint: 'Create the session with these slices before restoring.',
    })
  return new Map(
    Object.entries(document['slices']).map(([name, values]) => [name, readValues(slices.get(name), values)]),
  )
}

function readValues(slice: Slice<unknown> | undefined, values: unknown): SliceValues {
  if (slice === undefined || !Array.isArray(values))
    throw new SnapshotRestoreError(`The slice "${slice?.name}" of the snapshot is not a list.`, {
      hint: 'The snapshot was changed by hand or damaged.',
    })
  return values.map((value, at) => {
    const checked = validateNow(slice.schema, value)
    if (checked.ok) return checked.value
    throw new SnapshotRestoreError(
      `Value ${at} of the slice "${slice.name}" does not fit: ${checked.message}.`,
      {
        hint: 'The schema of the slice has changed since the snapshot was taken.',
      },
    )
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SnapshotRestoreError(`The snapshot is not JSON: ${messageOf(cause)}.`, {
      hint: 'Pass what JSON.stringify(session.snapshot()) returned.',
      cause,
    })
  }
}

/** A value that JSON would change in silence is found when the snapshot is taken, not when it is needed. */
export function assertJson(value: unknown, where: string): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (Array.isArray(value)) return value.forEach((each, at) => assertJson(each, `${where}[${at}]`))
  const prototype: unknown = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined
  if (isRecord(value) && (prototype === Object.prototype || prototype === null)) {
    for (const [key, each] of Object.entries(value))
      if (each !== undefined) assertJson(each, `${where}.${key}`)
    return
  }
  throw new ClewlineError('unsupported', `${where} is not JSON, so it cannot be part of a snapshot.`, {
    hint: 'Keep strings, numbers, booleans, null, lists and plain objects in slices.',
  })
}
