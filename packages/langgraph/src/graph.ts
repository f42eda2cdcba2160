import type { BaseCheckpointSaver } from '@langchain/langgraph'

/**
 * What `fromGraph` needs of a graph: a compiled `StateGraph`, an `entrypoint`, an agent of `langchain` or of
 * `deepagents` all have it.
 */
export interface Graph {
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** Agents of `langchain` keep their compiled graph, and its name, here. */
  readonly graph?: { readonly name?: string | undefined; readonly description?: string | undefined }
  readonly checkpointer?: BaseCheckpointSaver | boolean | undefined
  stream(input: unknown, options: object): Promise<AsyncIterable<unknown>>
  getState(config: object): Promise<GraphState>
  getStateHistory(config: object, options?: object): AsyncIterable<GraphState>
  updateState(config: object, values: unknown): Promise<unknown>
}

/** The part of LangGraph's `StateSnapshot` that is read. */
export interface GraphState {
  readonly values: unknown
  readonly next: readonly string[]
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly config: { readonly configurable?: Readonly<Record<string, unknown>> }
  readonly tasks: readonly GraphTask[]
  readonly createdAt?: string | undefined
  readonly parentConfig?: { readonly configurable?: Readonly<Record<string, unknown>> } | undefined
}

interface GraphTask {
  readonly id: string
  readonly name: string
  readonly interrupts: readonly { readonly id?: string; readonly value?: unknown }[]
}
