import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { optional } from './adapter/load-langchain.ts'
import * as main from './index.ts'
import * as langgraph from './langgraph/index.ts'
import * as source from './source/index.ts'

describe('the public surface', () => {
  test('of the package', () => {
    expect(Object.keys(main).sort()).toEqual([
      'BudgetExceededError',
      'Deadline',
      'DeadlineExceededError',
      'LangGraphAdapter',
      'PromptDefinitionError',
      'PromptEvaluationError',
      'PromptRenderError',
      'SnapshotRestoreError',
      'ThrottleError',
      'VisibilityExpansionRequired',
      'action',
      'append',
      'createBudgetTracker',
      'createEventBus',
      'createSession',
      'definePrompt',
      'fail',
      'fromJsonSchema',
      'ok',
      'replaceLatest',
      'replaceLatestBy',
      'section',
      'slice',
      'tool',
      'upsertBy',
    ])
  })

  test('of its entries for LangGraph and for the server', () => {
    expect(Object.keys(langgraph).sort()).toEqual([
      'langChainTools',
      'mcpTools',
      'remoteGraph',
      'sessionCheckpointer',
      'supervisor',
      'swarm',
      'workerTool',
    ])
    expect(Object.keys(source)).toEqual(['fromPrompt'])
  })
})

describe('LangChain', () => {
  test('is nowhere imported before it is used', async () => {
    const root = new URL('.', import.meta.url)
    const files = (await readdir(root, { recursive: true })).filter(
      (file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(file) && !file.startsWith('fixtures'),
    )
    expect(files.length).toBeGreaterThan(40)
    for (const file of files) {
      const text = await readFile(new URL(file, root), 'utf8')
      const imports = text.match(/^(import|export)\b[^;]*?from '[^']+'/gms) ?? []
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
