import { ClewlineError } from '@clewline/core'
import type { CreateRun } from './runs.ts'

/**
 * Where LangGraph and Clewline keep what they need themselves. A checkpoint named there that LangGraph does not know
 * would empty the thread; a user named there would be one whom nothing has authenticated.
 */
const RESERVED = /^(checkpoint_id|checkpoint_ns|checkpoint_map|writer|langgraph_auth_.*|clewline_.*|__.*)$/

/** Refuses values for the graph that would be taken for the server's own. */
export function checkConfigurable({ config }: CreateRun): void {
  const taken = Object.keys(config?.configurable ?? {}).find((key) => RESERVED.test(key))
  if (taken === undefined) return
  throw new ClewlineError(
    'bad-request',
    `config.configurable may not have "${taken}": it is the server that sets it.`,
    {
      hint: 'To run from a checkpoint send config.checkpoint_id; give other values other names.',
    },
  )
}
