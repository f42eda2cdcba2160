import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The declarations of each entry point: `dist/index.d.ts`, `dist/read/index.d.ts` and so on. */
function entries(name: string): string[] {
  const dist = `packages/${name}/dist`
  return ['.', ...readdirSync(`${root}${dist}`)]
    .map((folder) => `${dist}/${folder}/index.d.ts`)
    .filter((file) => existsSync(root + file) && !file.includes('/testing/'))
}

// Ours sets `exactOptionalPropertyTypes`, most do not, and some also check the declarations of what they import.
test('the declarations of core and client compile in a project with other settings than ours', () => {
  const files = [...entries('core'), ...entries('client')]
  expect(files.length).toBeGreaterThan(5)
  const settings = '--ignoreConfig --noEmit --strict --skipLibCheck false --target es2023 --module nodenext'
  const lib = ['--types', '', '--lib', 'es2023,dom,dom.iterable,dom.asynciterable']
  const tsc = 'node_modules/typescript/bin/tsc'
  const { stdout } = spawnSync(process.execPath, [tsc, ...settings.split(' '), ...lib, ...files], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stdout).toBe('')
})
