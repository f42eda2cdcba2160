import { isRecord } from '@clewline/core'
import type { Saved } from '../mark-checkpoints.ts'
import { recordValue } from '../record/record-value.ts'
import { beginHeld } from './begin-call.ts'
import { type Call, parentRun } from './calls.ts'
import { digest } from './digest.ts'
import { emitDelta } from './emit-update.ts'
import type { ObservedRun } from './observed-run.ts'

/** Graphs that save their state, and tasks whose writes were saved before. */
export function checkpointCalls(run: ObservedRun) {
  const { root, rootScope, graphs, inside } = run.calls
  const byNamespace = new Map<string, Call>()

  async function save({ config, checkpoint, metadata, changed }: Saved): Promise<void> {
    const call = callOf(config)
    if (call.graph === null || !call.isOpen) return
    await beginHeld(run, call)
    const values = channelsOf(checkpoint.channel_values)
    const step = metadata?.step ?? 0
    const scope = inside.get(call) ?? rootScope
    const isStart = metadata?.source !== 'loop'
    const node = takeNodes(call, step) ?? (isStart ? '__start__' : '')
    if (node === '__start__') run.mirror.seed(values, scope)
    else await emitDelta(run, call, run.mirror.diffState({ scope, step, values, changed }))
    await emitCheckpoint(run, call, { checkpointId: checkpoint.id, node, values })
  }

  /**
   * The graph that saves. Its callbacks name the run around it; two graphs in one run (or two `task` calls in one
   * plain ToolNode) are told apart by the namespace, which LangGraph counts up.
   */
  function callOf(config: unknown): Call {
    const configurable = isRecord(config) && isRecord(config['configurable']) ? config['configurable'] : {}
    const namespace = configurable['checkpoint_ns']
    if (typeof namespace !== 'string' || namespace === '') return root
    const known = byNamespace.get(namespace)
    if (known !== undefined && known.isOpen) return known
    const taken = new Set(byNamespace.values())
    const started = graphs.get(parentRun(config) ?? '') ?? []
    const call = started.find((one) => one.isOpen && !taken.has(one)) ?? started.at(-1) ?? root
    byNamespace.set(namespace, call)
    return call
  }

  /**
   * A cache hit: a task whose writes come from LangGraph's cache, or from before a resume, does not run, so no callback
   * reports it. Its `updates` chunk `[namespace, 'updates', {node: …, __metadata__: {cached}}]` does.
   */
  async function reuse(chunk: unknown): Promise<void> {
    if (!Array.isArray(chunk) || !isRecord(chunk[2])) return
    const { __metadata__: metadata, ...nodes } = chunk[2]
    if (!isRecord(metadata) || metadata['cached'] !== true) return
    const namespace = Array.isArray(chunk[0]) ? chunk[0].join('|') : ''
    const { path, agent, name } = byNamespace.get(namespace) ?? root
    for (const [node, update] of Object.entries(nodes)) {
      const data = { node, cached: true, update: recordValue(update) }
      await run.emit({
        type: 'tool_update',
        path,
        agent,
        origin: 'replay',
        payload: { tool_name: name, data },
      })
    }
  }

  return { save, reuse }
}

interface SavedState {
  readonly checkpointId: string
  /** The nodes whose step was saved. */
  readonly node: string
  readonly values: unknown
}

/** Emits that the state of a graph was saved. */
export async function emitCheckpoint(
  run: ObservedRun,
  { path, agent, graph }: Call,
  { checkpointId, node, values }: SavedState,
): Promise<void> {
  const state_digest = digest(values)
  if (graph !== null) graph.saved = { checkpointId, digest: state_digest }
  const payload = { checkpoint_id: checkpointId, node, state_digest }
  await run.emit({ type: 'subgraph_checkpoint', path, agent, payload })
}

/** What a user's state is made of, without LangGraph's own bookkeeping. */
function channelsOf(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !/^(__|branch:|start:)/.test(name)))
}

/** The nodes that made a step, once. */
function takeNodes(call: Call, step: number): string | undefined {
  const names = call.graph?.nodes.get(step)
  call.graph?.nodes.delete(step)
  return names === undefined ? undefined : [...new Set(names)].join(',')
}
