import { isRecord } from '@clewline/core'
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons'
import { type ObservedRun, scopeFor } from './observed-run.ts'
import { sayUpdate } from './say-update.ts'

/**
 * LangGraph's `config.writer` for one run. The runnable that is running when it is called tells which call wrote,
 * also when two tools write at once; LangGraph's own writer knows the namespace only.
 */
export function writerFor(run: ObservedRun): (value: unknown) => Promise<void> {
  return (value) => sayUpdate(run, scopeFor(run, currentRun()), value)
}

function currentRun(): string | undefined {
  const config: unknown = AsyncLocalStorageProviderSingleton.getRunnableConfig()
  return parentRun(config)
}

/** The run whose inside a config was made for. */
export function parentRun(config: unknown): string | undefined {
  if (!isRecord(config) || !isRecord(config['callbacks'])) return undefined
  const { callbacks } = config
  const id = typeof callbacks['getParentRunId'] === 'function' ? callbacks['getParentRunId']() : undefined
  return typeof id === 'string' ? id : undefined
}
