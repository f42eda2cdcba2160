import { isRecord } from '@clewline/core'
import { beginHeld } from './begin-call.ts'
import type { Call } from './call.ts'
import { digest } from './digest.ts'
import type { Saved } from '../mark-checkpoints.ts'
import type { ObservedRun } from './observed-run.ts'
import { sayDelta } from './say-update.ts'
import { parentRun } from './writer-for.ts'

/** Says of each graph that its state was saved. */
export function checkpointCalls(run: ObservedRun) {
  const byNamespace = new Map<string, Call>()

  async function saved({ config, checkpoint, metadata, changed }: Saved): Promise<void> {
    const call = callOf(config)
    const { graph } = call
    if (graph === null || !call.isOpen) return
    await beginHeld(run, call)
    const values = channelsOf(checkpoint.channel_values)
    const step = metadata?.step ?? 0
    const scope = run.inside.get(call) ?? run.rootScope
    const isStart = metadata?.source !== 'loop'
    const node = nodesOf(call, step) ?? (isStart ? '__start__' : '')
    if (node === '__start__') run.picture.know(values, scope)
    else await sayDelta(run, scope, run.picture.reconcile({ scope, step, values, changed }))
    const state_digest = digest(values)
    graph.saved = { checkpointId: checkpoint.id, digest: state_digest }
    const { path, agent } = call
    const payload = { checkpoint_id: checkpoint.id, node, state_digest }
    await run.emit({ type: 'subgraph_checkpoint', path, agent, payload })
  }

  /**
   * The graph that saves. Its callbacks name the run around it; two graphs in one run (or two `task` calls in one
   * plain ToolNode) are told apart by the namespace, which LangGraph counts up.
   */
  function callOf(config: unknown): Call {
    const configurable = isRecord(config) && isRecord(config['configurable']) ? config['configurable'] : {}
    const namespace = configurable['checkpoint_ns']
    if (typeof namespace !== 'string' || namespace === '') return run.root
    const known = byNamespace.get(namespace)
    if (known !== undefined && known.isOpen) return known
    const taken = new Set(byNamespace.values())
    const inside = run.graphs.get(parentRun(config) ?? '') ?? []
    const call = inside.find((one) => one.isOpen && !taken.has(one)) ?? inside.at(-1) ?? run.root
    byNamespace.set(namespace, call)
    return call
  }

  return {
    saved,
    callAt: (namespace: string): Call | undefined =>
      namespace === '' ? run.root : byNamespace.get(namespace),
  }
}

/** What a user's state is made of, without LangGraph's own bookkeeping. */
function channelsOf(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !/^(__|branch:|start:)/.test(name)))
}

/** The nodes that made a step, once. */
function nodesOf(call: Call, step: number): string | undefined {
  const names = call.graph?.nodes.get(step)
  call.graph?.nodes.delete(step)
  return names === undefined ? undefined : [...new Set(names)].join(',')
}
