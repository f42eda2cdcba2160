import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { killMatrix } from './kill-matrix.ts'

const KILLS = Number(process.env['CLEWLINE_KILLS'] ?? 100)

test(
  `${KILLS} kills at random moments lose nothing and leave nothing stuck`,
  { timeout: 3_600_000 },
  async () => {
    const store = mkdtempSync(join(tmpdir(), 'clewline-kills-'))
    const report = await killMatrix(store, KILLS, Math.random)
    rmSync(store, { recursive: true, force: true })
    process.stdout.write(`${JSON.stringify(report)}\n`)
    expect(report).toMatchObject({ stuckThreads: [], unfinishedRuns: [], violations: [], wrongReaders: [] })
    expect(report.recovered).toBeGreaterThan(KILLS / 10)
  },
)
