import type { Envelope, FilesDelta } from '../envelope.ts'
import type { Json } from '../json.ts'
import type { CowLists } from './cow-list.ts'
import type { CowMap } from './cow-map.ts'
import type { File } from './view.ts'

/** Writes down what an envelope, the entry with index `at`, did to files. Only real changes count. */
export function changeFiles(
  files: CowMap<File>,
  lists: CowLists,
  { call_id, agent, ts }: Envelope,
  at: number,
  delta: FilesDelta,
): void {
  const change = (name: string, content: string | null): void => {
    const before = files.get(name)
    if ((before?.content ?? null) === content) return
    const kind =
      content === null ? 'removed' : before === undefined || before.content === null ? 'added' : 'changed'
    const made = { kind, call_id, agent, ts, at, content } as const
    files.set(name, { name, content, history: lists.append(before?.history ?? [], made) })
  }
  for (const [name, content] of Object.entries(delta.added ?? {})) change(name, content)
  for (const [name, content] of Object.entries(delta.changed ?? {})) change(name, content)
  for (const name of delta.removed ?? []) change(name, null)
}

/** Files that stand in a graph's input or result. */
export function filesIn(value: Json | undefined): FilesDelta {
  if (typeof value !== 'object' || value === null || !('files' in value)) return {}
  const { files } = value
  if (typeof files !== 'object' || files === null) return {}
  return {
    changed: Object.fromEntries(
      Object.entries(files).filter((file): file is [string, string] => typeof file[1] === 'string'),
    ),
  }
}
