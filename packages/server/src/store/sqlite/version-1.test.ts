import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { continuesVersion1, version1 } from '../fixtures/version-1.ts'

continuesVersion1(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'clewline-v1-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(join(directory, 'clewline.db'), version1('db'))
  return directory
})
