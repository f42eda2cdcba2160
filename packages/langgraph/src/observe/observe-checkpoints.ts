import type { BaseCheckpointSaver } from '@langchain/langgraph'

/** Key of a checkpoint's metadata. */
export const TRACE = 'clewline_trace_id'

type Put = BaseCheckpointSaver['put']

/** What was saved, once it was. */
export interface Saved {
  readonly config: Parameters<Put>[0]
  readonly checkpoint: Parameters<Put>[1]
  readonly metadata: Parameters<Put>[2]
  /** The channels that changed since the state before. */
  readonly changed: ReadonlySet<string>
}

/**
 * The same checkpointer for one run, which says what it has saved, and marks it with the trace that it belongs to.
 * Everything else goes to the given one.
 */
export function observeCheckpoints(
  saver: BaseCheckpointSaver,
  trace: string,
  saved: (what: Saved) => void | Promise<void>,
): BaseCheckpointSaver {
  const put: Put = async (config, checkpoint, metadata, versions) => {
    const marked = Object.assign({}, metadata, { [TRACE]: trace })
    const result = await saver.put(config, checkpoint, marked, versions)
    await saved({ config, checkpoint, metadata, changed: new Set(Object.keys(versions ?? {})) })
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
