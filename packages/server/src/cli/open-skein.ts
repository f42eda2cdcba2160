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
  const model = given.text('model') ?? io.env['SKEIN_MODEL']
  const store = given.text('store')
  const loaded = await loadConfig(given.text('config'), {
    directory: io.cwd,
    ...(model !== undefined && { model }),
  })
  const config: Config = { ...loaded, ...(store !== undefined && { store }), ...changes }
  return { skein: await createSkein(config), config }
}
