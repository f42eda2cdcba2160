import { ClewlineError } from '@clewline/core'
import type { Source } from '@clewline/core/source'
import type { RuntimeContext } from './runtime-context.ts'

/** The agent of that name; throws `unknown-agent` when there is none. */
export function requireAgent({ agents }: RuntimeContext, name: string): Source {
  const source = agents.get(name)
  if (source !== undefined) return source
  throw new ClewlineError('unknown-agent', `No agent is named "${name}".`, {
    hint: `Known agents: ${[...agents.keys()].join(', ') || 'none'}. Add it to clewline.config.ts.`,
  })
}
