import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { studioFile } from './studio-files.ts'

const root = mkdtempSync(join(tmpdir(), 'clewline-studio-'))
const folder = join(root, 'app')
mkdirSync(join(folder, 'assets'), { recursive: true })
writeFileSync(join(root, 'secret.txt'), 'secret')
writeFileSync(join(folder, 'index.html'), '<!doctype html>')
writeFileSync(join(folder, 'assets', 'main.js'), 'export {}')
afterAll(() => rmSync(root, { recursive: true }))

test.each([
  ['/', 'text/html; charset=utf-8', 'no-cache'],
  ['/threads/t/anything', 'text/html; charset=utf-8', 'no-cache'],
  ['/assets/main.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
])('%s is served as %s', async (path, type, cache) => {
  const response = await studioFile(folder, path)
  expect(response?.headers.get('content-type')).toBe(type)
  expect(response?.headers.get('cache-control')).toBe(cache)
  expect(response?.headers.get('content-security-policy')).toContain("default-src 'self'")
})

test.each([
  '/../secret.txt',
  '/%2e%2e/secret.txt',
  '/assets/../../secret.txt',
  '/..%2fsecret.txt',
  '/assets/none.js',
  '/%E0%A4%A',
])('%s is not served', async (path) => {
  expect(await studioFile(folder, path)).toBeNull()
})
