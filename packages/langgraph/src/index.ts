export { fromGraph } from './from-graph.ts'
export type { FromGraphOptions } from './from-graph.ts'
export type { Graph } from './graph.ts'
