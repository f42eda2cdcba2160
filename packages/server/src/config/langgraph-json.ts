import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ClewlineError } from '@clewline/core'
import type { Source } from '@clewline/core/source'
import { z } from 'zod'
import { importFile } from './import-file.ts'
import { sourceOf } from './source-of.ts'

/** The part of LangGraph's own config that matters here. */
const langgraphJson = z.object({
  graphs: z.record(
    z.string(),
    z.union([z.string(), z.object({ path: z.string(), description: z.string().optional() })]),
  ),
  env: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
})

/** The graphs of an existing `langgraph.json`, as agents: `"./src/graph.ts:graph"` each. */
export async function langgraphAgents(file: string): Promise<Record<string, Source>> {
  const { graphs, env } = await read(file)
  const folder = dirname(file)
  await applyEnv(env, folder)
  const agents: Record<string, Source> = {}
  for (const [name, entry] of Object.entries(graphs)) {
    agents[name] = sourceOf(name, await graphAt(typeof entry === 'string' ? entry : entry.path, folder))
  }
  return agents
}

async function read(file: string): Promise<z.infer<typeof langgraphJson>> {
  const text = await readFile(file, 'utf8')
  try {
    return langgraphJson.parse(JSON.parse(text))
  } catch (error) {
    throw new ClewlineError('bad-config', `${file} is not a langgraph.json: ${reasonOf(error)}.`, {
      hint: 'It needs "graphs": { "name": "./file.ts:export" }.',
      cause: error,
    })
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return error instanceof Error ? error.message : String(error)
  const [issue] = error.issues
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not valid'}`
}

async function graphAt(place: string, folder: string): Promise<unknown> {
  const cut = place.lastIndexOf(':')
  const path = cut > 1 ? place.slice(0, cut) : place
  const name = cut > 1 ? place.slice(cut + 1) : 'default'
  const exported = new Map(Object.entries(Object(await importFile(resolve(folder, path)))))
  const graph: unknown = exported.get(name)
  if (graph === undefined) {
    throw new ClewlineError('bad-config', `${path} exports nothing named "${name}".`, {
      hint: `It exports: ${[...exported.keys()].join(', ')}.`,
    })
  }
  // LangGraph also takes a function that makes the graph.
  return isFactory(graph) ? await graph({}) : graph
}

function isFactory(value: unknown): value is (config: object) => unknown {
  return typeof value === 'function' && !('stream' in value)
}

/** Variables that are set already win, as with any .env file. */
async function applyEnv(env: string | Record<string, string> | undefined, folder: string): Promise<void> {
  const wanted = typeof env === 'string' ? await envFile(resolve(folder, env)) : (env ?? {})
  for (const [name, value] of Object.entries(wanted)) process.env[name] ??= value
}

async function envFile(file: string): Promise<Record<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value.replace(/^(['"])(.*)\1$/, '$2')]]
  })
  return Object.fromEntries(lines)
}
