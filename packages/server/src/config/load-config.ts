import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { ClewlineError } from '@clewline/core'
import type { Config, ConfigContext } from './define-config.ts'
import { CONFIG_KEYS, configProblem } from './config-schema.ts'
import { importFile, loading } from './import-file.ts'
import { langgraphAgents } from './langgraph-json.ts'

const NAMES = [
  'clewline.config.ts',
  'clewline.config.mts',
  'clewline.config.js',
  'clewline.config.mjs',
  'langgraph.json',
]

/**
 * The config at a path, or the first that is found in `directory`. TypeScript is loaded as it is, without a build.
 */
export async function loadConfig(
  path?: string,
  context: ConfigContext & { readonly directory?: string } = {},
): Promise<Config> {
  const { directory = process.cwd(), ...forConfig } = context
  const file = path === undefined ? find(directory) : resolve(directory, path)
  if (!existsSync(file)) {
    throw new ClewlineError('bad-config', `There is no config at ${file}.`, {
      hint: 'Check the path given with --config.',
    })
  }
  const found = file.endsWith('.json')
    ? { agents: await langgraphAgents(file) }
    : await evaluate(file, forConfig)
  return checked(file, found)
}

function find(directory: string): string {
  for (const name of NAMES) {
    const file = resolve(directory, name)
    if (existsSync(file)) return file
  }
  throw new ClewlineError('bad-config', `No clewline.config.ts or langgraph.json in ${directory}.`, {
    hint: 'Write one (export default defineConfig({ agents: { … } })), or name it with --config.',
  })
}

async function evaluate(file: string, context: ConfigContext): Promise<unknown> {
  const exported = await importFile(file)
  const config = defaultOf(exported)
  return typeof config === 'function' ? await loading(file, async () => config(context)) : config
}

function defaultOf(exported: unknown): unknown {
  if (typeof exported !== 'object' || exported === null || !('default' in exported)) return undefined
  return exported.default
}

function checked(file: string, config: unknown): Config {
  if (isConfig(config)) {
    const problem = configProblem(config)
    if (problem === null) return config
    throw new ClewlineError('bad-config', `${file}: ${problem}`, {
      hint: `It may have: ${CONFIG_KEYS.join(', ')}.`,
    })
  }
  throw new ClewlineError('bad-config', `${file} has no agents.`, {
    hint: file.endsWith('.json')
      ? 'It needs "graphs": { "name": "./file.ts:export" }.'
      : 'Its default export must be an object with "agents": export default defineConfig({ agents: { chat: graph } }).',
  })
}

function isConfig(value: unknown): value is Config {
  if (typeof value !== 'object' || value === null || !('agents' in value)) return false
  const { agents } = value
  return typeof agents === 'object' && agents !== null && Object.keys(agents).length > 0
}
