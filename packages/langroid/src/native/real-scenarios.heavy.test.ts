import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { python, skipped, whyNoLangroid } from '../testing/real-python.ts'
import { realOutcomes } from '../testing/scenario-task.ts'

const scenarios = fileURLToPath(new URL('../../scenarios', import.meta.url))

test.skipIf(whyNoLangroid !== null)(
  `real Langroid makes of each scenario what scenarios/real.json says${skipped}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'clewline-scenarios-'))
    const file = join(folder, 'real.json')
    try {
      const env = { ...process.env, PYTHONPATH: scenarios, PYTHONDONTWRITEBYTECODE: '1' }
      execFileSync(python, [join(scenarios, 'run_real.py'), file], { env, stdio: 'pipe' })
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(realOutcomes)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
