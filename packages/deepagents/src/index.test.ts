import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/** The public surface, types included. A name added here is a promise. */
const surface =
  'AgentTool AnySubAgent BASE_PROMPT CompiledSubAgent DeepAgent DeepAgentError DeepAgentErrorCode DeepAgentOptions DirectoryOptions Execution FileBackend FileChange FileOperation Files FilesUpdate InterruptOn LocalShellOptions Report ResponseFormat Sandbox SubAgent SummariseOptions Todo compositeFiles createDeepAgent cutText directoryFiles localShell resolveModel storeFiles'

test('the public surface is this and no more', async () => {
  const text = await readFile(new URL('index.ts', import.meta.url), 'utf8')
  expect(text).not.toContain('export *')
  const exported = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap(([, list]) => list!.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
  expect(exported.sort().join(' ')).toBe(surface)
})
