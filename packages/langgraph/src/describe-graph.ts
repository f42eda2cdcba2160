import { getInputTypeSchema, getOutputTypeSchema } from '@langchain/langgraph/zod/schema'
import { coerce, isRecord, type JsonObject } from '@clewline/core'
import type { SourceDescription } from '@clewline/core/source'
import type { Graph } from './graph.ts'

/** Introspects a graph: schemas from zod states, or at least the names of its channels. */
export function describeGraph(graph: Graph, name: string): SourceDescription {
  const compiled: unknown = isRecord(graph.graph) && 'channels' in graph.graph ? graph.graph : graph
  const description = graph.description ?? graph.graph?.description
  const input_schema = schemaOf(() => getInputTypeSchema(compiled), inputNames(compiled))
  const output_schema = schemaOf(() => getOutputTypeSchema(compiled), outputNames(compiled))
  return {
    name,
    ...(description !== undefined && { description }),
    ...(input_schema !== null && { input_schema }),
    ...(output_schema !== null && { output_schema }),
  }
}

function schemaOf(read: () => unknown, names: readonly string[]): JsonObject | null {
  const known = quietly(read)
  const described = isRecord(known) && isRecord(known['properties']) ? known['properties'] : {}
  const all = Object.fromEntries(names.map((name) => [name, described[name] ?? {}]))
  const properties = { ...described, ...all }
  if (Object.keys(properties).length === 0) return null
  const schema = coerce({ type: 'object', ...(isRecord(known) && known), properties })
  return isRecord(schema) ? schema : null
}

/** A schema that cannot be written as JSON Schema (zod 3 inside zod 4, a transform) is no reason to fail. */
function quietly(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return null
  }
}

function outputNames(graph: unknown): readonly string[] {
  const names = isRecord(graph) ? graph['outputChannels'] : undefined
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

/** Channels that are not LangGraph's own, nor private by their name. */
function inputNames(graph: unknown): readonly string[] {
  const builder = isRecord(graph) ? graph['builder'] : undefined
  const defined = isRecord(builder) ? builder['_inputDefinition'] : undefined
  return isRecord(defined) ? Object.keys(defined).filter((name) => !name.startsWith('_')) : []
}
