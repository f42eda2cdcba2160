import { loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/define-config.ts'
import { createSkein, type Skein } from '../create-skein.ts'
import type { Given } from './command.ts'
import type { Io } from './io.ts'

export interface OpenSkein {
  readonly skein: Skein
  readonly config: Config
}

/** A Skein in this process, as the config says and the options change it. */
export async function openSkein(given: Given, io: Io, changes: Partial<Config> = {}): Promise<OpenSkein> {
  const config: Config = { ...(await configOf(given, io)), ...changes }
  return { skein: await createSkein(config), config }
}

/** The config, as the options change it. */
export async function configOf(given: Given, io: Io): Promise<Config> {
  surviveForgottenPromises(io)
  const model = given.text('model') ?? io.env['SKEIN_MODEL']
  const store = given.text('store')
  const loaded = await loadConfig(given.text('config'), {
    directory: io.cwd,
    ...(model !== undefined && { model }),
  })
  return { ...loaded, ...(store !== undefined && { store }) }
}

/** Agents are their authors' code: a promise that one of them forgot must not end the runs of all the others. */
function surviveForgottenPromises(io: Io): void {
  process.on('unhandledRejection', (reason) => {
    const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
    io.stderr.write(`skein: a promise failed and nobody was waiting for it; going on. ${text}\n`)
  })
}
