/** An agent whose runs live on a LangGraph server. */
export interface RunStore {
  readonly client: {
    readonly runs: {
      list(
        threadId: string,
        options: { status: 'pending' | 'running' },
      ): Promise<readonly { run_id: string }[]>
      cancel(threadId: string, runId: string): Promise<unknown>
    }
  }
}

/** Duck-typed instead of `instanceof`: there may be two copies of the class in a tree. */
export function isRunStore(agent: unknown): agent is RunStore {
  if (typeof agent !== 'object' || agent === null || !('client' in agent)) return false
  const { client } = agent
  return typeof client === 'object' && client !== null && 'runs' in client
}
