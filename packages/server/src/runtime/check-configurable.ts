import { ClewlineError } from '@clewline/core'
import type { CreateRun } from './runs.ts'

/** Where LangGraph keeps what it needs itself. A checkpoint named there that it does not know would empty the thread. */
const RESERVED = /^(checkpoint_id|checkpoint_ns|checkpoint_map|__pregel_.*)$/

/** Refuses values for the graph that would be taken for LangGraph's own. */
export function checkConfigurable({ config }: CreateRun): void {
  const taken = Object.keys(config?.configurable ?? {}).find((key) => RESERVED.test(key))
  if (taken === undefined) return
  throw new ClewlineError(
    'bad-request',
    `config.configurable may not have "${taken}": LangGraph uses it itself.`,
    {
      hint: 'To run from a checkpoint send config.checkpoint_id; give other values other names.',
    },
  )
}
