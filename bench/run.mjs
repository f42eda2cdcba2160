// `npm run bench -- NAME…` runs bench/NAME.mjs, each in a process of its own; without a name, all of them.
// Benchmarks print ratios measured in one run: absolute times say more about the machine than about the code.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const known = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
  .map((file) => file.slice(0, -'.mjs'.length))
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`No benchmark named ${unknown.join(', ')}. There are: ${known.join(', ')}.`)
  process.exit(2)
}

let failed = 0
for (const name of asked.length > 0 ? asked : known) {
  console.log(`\n# ${name}`)
  const file = fileURLToPath(new URL(`${name}.mjs`, import.meta.url))
  const { status } = spawnSync(process.execPath, ['--expose-gc', file], { stdio: 'inherit' })
  if (status !== 0) failed += 1
}
process.exit(failed === 0 ? 0 : 1)
