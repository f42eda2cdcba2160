import type { Graph } from '../adapter/graph-of.ts'
import { optional } from '../adapter/load-langchain.ts'

/**
 * A graph on a LangGraph server, for the `graph` option of an adapter. Deadline and cancel reach it; its tools and
 * model are its own, so tools of the prompt cannot be called there, and tokens are counted when it has answered.
 */
export async function remoteGraph(options: {
  readonly url: string
  readonly graphId: string
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
}): Promise<Graph> {
  const { RemoteGraph } = await optional(() => import('@langchain/langgraph/remote'))
  const { headers, ...rest } = options
  return new RemoteGraph({ ...rest, ...(headers !== undefined && { headers: { ...headers } }) })
}
