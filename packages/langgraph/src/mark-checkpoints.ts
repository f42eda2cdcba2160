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

/** The mark in stores from before runs had one: the trace, which a resume shares with the run that asked. */
const TRACE_ID = 'clewline_trace_id'

/** The mark of the thread's newest state. */
async function markOf(
  saver: BaseCheckpointSaver,
  thread_id: string,
  key: typeof RUN_ID | typeof TRACE_ID,
): Promise<string | undefined> {
  const newest = await saver.getTuple({ configurable: { thread_id, checkpoint_ns: '' } })
  const mark: unknown = newest?.metadata && Reflect.get(newest.metadata, key)
  return typeof mark === 'string' ? mark : undefined
}

/** The last run that saved anything in a thread; undefined in a store from before runs were marked. */
export const savedBy = (saver: BaseCheckpointSaver, thread_id: string): Promise<string | undefined> =>
  markOf(saver, thread_id, RUN_ID)

/**
 * Whether a run has saved anything in a thread. By the run and not by its trace: a resume that has saved nothing would
 * look like one that has, and its answers would be lost. Undefined when only the trace is known.
 */
export async function hasSaved(
  saver: BaseCheckpointSaver,
  thread_id: string,
  { run_id, trace_id }: { readonly run_id: string; readonly trace_id: string },
): Promise<boolean | undefined> {
  const by = await savedBy(saver, thread_id)
  if (by !== undefined) return by === run_id
  return (await markOf(saver, thread_id, TRACE_ID)) === trace_id ? undefined : false
}

export async function hasCheckpoint(
  saver: BaseCheckpointSaver,
  thread_id: string,
  checkpoint_id: string,
): Promise<boolean> {
  const found = await saver.getTuple({ configurable: { thread_id, checkpoint_ns: '', checkpoint_id } })
  return found !== undefined
}
