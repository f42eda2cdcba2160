import { setMaxListeners } from 'node:events'
import type { RunnableConfig } from '@langchain/core/runnables'

interface Node {
  readonly bound: { invoke(input: unknown, config?: RunnableConfig): Promise<unknown> }
}

/**
 * What only shows at the nodes of LangChain's agent (1.5.14), around its middlewares: as many listeners as there are
 * parallel tool calls, and the error that was thrown instead of one that a middleware was put around.
 */
export function tendNodes(nodes: Readonly<Record<string, Node>>): void {
  const { tools, model_request: model } = nodes
  if (tools !== undefined) {
    around(tools, (run, config) => {
      allowManyListeners(config)
      return run()
    })
  }
  if (model !== undefined) {
    around(model, (run) =>
      run().catch((error: unknown) => {
        throw rootOf(error)
      }),
    )
  }
}

function around(
  { bound }: Node,
  wrap: (run: () => Promise<unknown>, config: RunnableConfig | undefined) => Promise<unknown>,
): void {
  const invoke = bound.invoke.bind(bound)
  bound.invoke = (input, config) => wrap(() => invoke(input, config), config)
}

/**
 * Each running tool call and sub-agent listens for cancellation on the signals of its superstep and of the whole run
 * (LangGraph 1.4.18 hands them down in the configuration). From the eleventh on, Node would warn of a leak that is none.
 */
export function allowManyListeners(config: RunnableConfig | undefined): void {
  const signals: unknown = config?.configurable?.['__pregel_abort_signals']
  const handedDown = typeof signals === 'object' && signals !== null ? Object.values(signals) : []
  for (const signal of [config?.signal, ...handedDown]) {
    if (signal instanceof AbortSignal) setMaxListeners(0, signal)
  }
}

/** What a middleware throws again is wrapped once for each. */
export function rootOf(error: unknown): unknown {
  let root = error
  while (root instanceof Error && '~brand' in root && root['~brand'] === 'MiddlewareError') root = root.cause
  return root
}
