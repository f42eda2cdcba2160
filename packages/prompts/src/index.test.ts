import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { optional } from './adapter/load-langchain.ts'

/** The public surface, types included. A name added here is a promise. */
const surface: Readonly<Record<string, string>> = {
  'index.ts':
    'Action Adapter Budget BudgetExceededError BudgetTracker Clock CompletedResponse Deadline DeadlineExceededError EvaluateOptions EventBus FinalAnswer Graph GraphBuilder InterruptedResponse LangGraphAdapter LangGraphAdapterOptions Prompt PromptDefinitionError PromptEvaluationError PromptEvent PromptEventType PromptRenderError PromptResponse PromptStream PromptTemplate Reducer RenderedPrompt ResumeToken Schema Section SectionPath Session SessionView Slice Snapshot SnapshotRestoreError StreamPart ThrottleError TokenUsage Tool ToolContext ToolPolicy ToolResult Visibility VisibilityExpansionRequired action append createBudgetTracker createEventBus createSession definePrompt fail fromJsonSchema ok readBeforeWrite replaceLatest replaceLatestBy section slice tool toolOrder upsertBy',
  'langgraph/index.ts':
    'McpClient Swarm SwarmResponse Worker langChainTools mcpTools remoteGraph sessionCheckpointer supervisor swarm workerTool',
  'overrides/index.ts':
    'IgnoredOverride Overridden OverrideOptions OverridesKey OverridesStore SectionOverride directoryOverrides memoryOverrides overrideSection withOverrides',
  'source/index.ts': 'FromPromptOptions fromPrompt',
}

/** A folder may import those before it. Files beside `index.ts` may be imported by all. */
const layers = [
  'schema',
  'limits',
  'throttle',
  'result',
  'events',
  'session',
  'prompt',
  'overrides',
  'output',
  'tool',
  'adapter',
  'langgraph',
  'source',
]

const root = new URL('.', import.meta.url)

/** The import and export statements of each source file. */
async function importsBySource(): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = (await readdir(root, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(file) && !file.startsWith('testing'),
  )
  expect(files.length).toBeGreaterThan(40)
  const texts = files.map(async (file) => {
    const text = await readFile(new URL(file, root), 'utf8')
    return [file, text.match(/^(import|export)\b[^;]*?from '[^']+'/gms) ?? []] as const
  })
  return new Map(await Promise.all(texts))
}

describe('the public surface', () => {
  test.each(Object.entries(surface))('of %s is this and no more', async (entry, names) => {
    const text = await readFile(new URL(entry, root), 'utf8')
    expect(text).not.toContain('export *')
    const exported = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)]
      .flatMap(([, list]) => list!.split(','))
      .map((name) => name.trim())
      .filter((name) => name !== '')
    expect(exported.sort().join(' ')).toBe(names)
  })
})

test('folders are layers: each imports only those before it', async () => {
  const layerOf = (path: string): number => {
    const [, folder] = /^([^/]+)\//.exec(path) ?? []
    return folder === undefined ? -1 : layers.indexOf(folder)
  }
  const wrong: string[] = []
  for (const [file, imports] of await importsBySource()) {
    if (file === 'index.ts') continue
    if (file.includes('/')) expect(layers).toContain(file.split('/')[0])
    for (const each of imports) {
      const [, target] = /from '(\.[^']+)'$/.exec(each) ?? []
      if (target === undefined) continue
      const path = new URL(target, new URL(file, root)).href.slice(root.href.length)
      if (layerOf(path) > layerOf(file)) wrong.push(`${file} → ${path}`)
    }
  }
  expect(wrong).toEqual([])
})

describe('LangChain', () => {
  test('is nowhere imported before it is used', async () => {
    for (const [file, imports] of await importsBySource()) {
      const eager = imports.filter(
        (each) =>
          /'(@langchain\/|langchain|@clewline\/langgraph)/.test(each) && !/^(import|export) type/.test(each),
      )
      expect([file, eager]).toEqual([file, []])
    }
  })

  test('when it is missing, one sentence says so and another what to install', async () => {
    const missing = () => Promise.reject(Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' }))
    await expect(optional(missing)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'LangGraph is needed to evaluate prompts, and it is not installed.',
      hint: 'Run: npm install langchain @langchain/langgraph @langchain/core',
    })
    const broken = new Error('syntax')
    await expect(optional(() => Promise.reject(broken))).rejects.toBe(broken)
  })
})
