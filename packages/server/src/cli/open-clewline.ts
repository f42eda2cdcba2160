import { loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/define-config.ts'
import { createClewline, type Clewline } from '../create-clewline.ts'
import type { Given } from './command.ts'
import type { Io } from './io.ts'

export interface OpenClewline {
  readonly clewline: Clewline
  readonly config: Config
}

/** A Clewline in this process, as the config says and the options change it. */
export async function openClewline(
  given: Given,
  io: Io,
  changes: Partial<Config> = {},
): Promise<OpenClewline> {
  const config: Config = { ...(await configOf(given, io)), ...changes }
  return { clewline: await createClewline(config), config }
}

/** The config, as the options change it. */
export async function configOf(given: Given, io: Io): Promise<Config> {
  surviveForgottenPromises(io)
  const model = given.text('model') ?? io.env['CLEWLINE_MODEL']
  const store = given.text('store')
  const loaded = await loadConfig(given.text('config'), {
    directory: io.cwd,
    ...(model !== undefined && { model }),
  })
  const encryption = loaded.encryption ?? encryptionOf(io.env['CLEWLINE_ENCRYPTION_KEY'])
  return {
    ...loaded,
    ...(store !== undefined && { store }),
    ...(encryption !== undefined && { encryption }),
  }
}

/** Keys with commas between them: the first one encrypts, those after it are earlier ones. */
function encryptionOf(keys: string | undefined): Config['encryption'] {
  const [key, ...oldKeys] = (keys ?? '').split(',').filter((one) => one.trim() !== '')
  return key === undefined ? undefined : { key, oldKeys }
}

/** Agents are their authors' code: a promise that one of them forgot must not end the runs of all the others. */
function surviveForgottenPromises(io: Io): void {
  process.on('unhandledRejection', (reason) => {
    const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
    io.stderr.write(`clewline: a promise failed and nobody was waiting for it; going on. ${text}\n`)
  })
}
