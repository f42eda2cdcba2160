import type { Delta, FilesDelta, ToolUpdate } from '../envelope.ts'
import { sumRedactions } from './sum-redactions.ts'

type Payload = { -readonly [K in keyof ToolUpdate['payload']]: ToolUpdate['payload'][K] }

/** True when two updates may stand as one: one run, one origin. */
export const isSameWork = (a: ToolUpdate, b: ToolUpdate): boolean =>
  a.run_id === b.run_id && a.origin === b.origin && a.agent === b.agent

/**
 * One update that stands for both: texts one after the other, files merged by name, state merged by key, and the newest
 * of everything else. So a reader that sees only this one ends where a reader of both ends.
 */
export function joinUpdates(a: ToolUpdate, b: ToolUpdate): ToolUpdate {
  const payload: Payload = { ...a.payload, ...b.payload, from_seq: a.payload.from_seq ?? a.seq }
  if (a.payload.text !== undefined && b.payload.text !== undefined)
    payload.text = a.payload.text + b.payload.text
  if (a.payload.delta !== undefined && b.payload.delta !== undefined)
    payload.delta = joinDeltas(a.payload.delta, b.payload.delta)
  const redacted = sumRedactions([a.payload.redacted, b.payload.redacted])
  if (redacted !== undefined) payload.redacted = redacted
  return { ...b, payload }
}

function joinDeltas(a: Delta, b: Delta): Delta {
  return {
    ...a,
    ...b,
    ...(a.files !== undefined && b.files !== undefined && { files: joinFiles(a.files, b.files) }),
    ...(a.state !== undefined && b.state !== undefined && { state: { ...a.state, ...b.state } }),
  }
}

function joinFiles(a: FilesDelta, b: FilesDelta): FilesDelta {
  const added = new Map(Object.entries(a.added ?? {}))
  const changed = new Map(Object.entries(a.changed ?? {}))
  const removed = new Set(a.removed)
  for (const [name, text] of [...Object.entries(b.added ?? {}), ...Object.entries(b.changed ?? {})]) {
    const isNew =
      !changed.has(name) && !removed.has(name) && (added.has(name) || b.added?.[name] !== undefined)
    removed.delete(name)
    ;(isNew ? added : changed).set(name, text)
  }
  for (const name of b.removed ?? []) {
    added.delete(name)
    changed.delete(name)
    removed.add(name)
  }
  return {
    ...(added.size > 0 && { added: Object.fromEntries(added) }),
    ...(changed.size > 0 && { changed: Object.fromEntries(changed) }),
    ...(removed.size > 0 && { removed: [...removed] }),
  }
}

/** True when both change the same thing, so that their order matters. */
export function isConflict(a: ToolUpdate, b: ToolUpdate): boolean {
  const [one, other] = [a.payload.delta, b.payload.delta]
  if (one === undefined || other === undefined) return false
  if (one.todos !== undefined && other.todos !== undefined) return true
  return (
    haveCommon(Object.keys(one.state ?? {}), Object.keys(other.state ?? {})) ||
    haveCommon(fileNames(one), fileNames(other))
  )
}

function fileNames({ files }: Delta): readonly string[] {
  if (files === undefined) return []
  return [...Object.keys(files.added ?? {}), ...Object.keys(files.changed ?? {}), ...(files.removed ?? [])]
}

function haveCommon(a: readonly string[], b: readonly string[]): boolean {
  return a.length > 0 && b.length > 0 && a.some((name) => b.includes(name))
}
