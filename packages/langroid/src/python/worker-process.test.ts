import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// Built, since a process of its own has no loader for TypeScript; `npm test` has built it.
const built = fileURLToPath(new URL('../../dist/python/worker-process.js', import.meta.url))

test('a worker that does not notice the end of its input does not outlive its process', async () => {
  const parent = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { startWorker } from ${JSON.stringify(built)}
     const deaf = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: {} }
     const worker = startWorker(deaf, () => {})
     process.stdout.write(String(worker.pid), () => process.exit(0))`,
  ])
  let out = ''
  parent.stdout.on('data', (text: Buffer) => (out += text.toString()))
  await once(parent, 'close')
  const pid = Number(out)
  expect(pid).toBeGreaterThan(0)
  await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
