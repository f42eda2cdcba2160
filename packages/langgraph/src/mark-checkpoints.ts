import type { BaseCheckpointSaver } from '@langchain/langgraph'

/** Metadata key: the run that a checkpoint, or a run of an API server, belongs to. */
export const RUN_ID = 'clewline_run_id'

type Put = BaseCheckpointSaver['put']

/** What was saved, once it was. */
export interface Saved {
  readonly config: Parameters<Put>[0]
  readonly checkpoint: Parameters<Put>[1]
  readonly metadata: Parameters<Put>[2]
  /** The channels that changed since the state before. */
  readonly changed: ReadonlySet<string>
}

/** A decorator: the same checkpointer, whose checkpoints carry the id of the run. Everything else is delegated. */
export function markCheckpoints(
  saver: BaseCheckpointSaver,
  run_id: string,
  onSaved?: (saved: Saved) => void | Promise<void>,
): BaseCheckpointSaver {
  const put: Put = async (config, checkpoint, metadata, versions) => {
    const marked = Object.assign({}, metadata, { [RUN_ID]: run_id })
    const result = await saver.put(config, checkpoint, marked, versions)
    await onSaved?.({ config, checkpoint, metadata, changed: new Set(Object.keys(versions ?? {})) })
    return result
  }
  return new Proxy(saver, {
    get(target, key) {
      if (key === 'put') return put
      const value: unknown = Reflect.get(target, key, target)
      // Bound to the real one: savers keep private fields, which a proxy does not have.
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/**
 * The last run that saved anything in a thread. Exact, unlike the trace: a resume continues the trace of the run that
 * asked, so a resume that has saved nothing looks like one that has, and its answers would be lost.
 */
export async function savedBy(saver: BaseCheckpointSaver, thread_id: string): Promise<string | undefined> {
  const newest = await saver.getTuple({ configurable: { thread_id, checkpoint_ns: '' } })
  const run_id: unknown = newest?.metadata && Reflect.get(newest.metadata, RUN_ID)
  return typeof run_id === 'string' ? run_id : undefined
}

export async function hasCheckpoint(
  saver: BaseCheckpointSaver,
  thread_id: string,
  checkpoint_id: string,
): Promise<boolean> {
  const found = await saver.getTuple({ configurable: { thread_id, checkpoint_ns: '', checkpoint_id } })
  return found !== undefined
}
