import { createSkein, type Skein } from '@skein/server'
import { agent } from './agent.ts'

declare global {
  var skein: Promise<Skein> | undefined
}

// Next loads a module again after each edit; the store has one owner, so the Skein outlives the module.
export const skein = (globalThis.skein ??= createSkein({
  agents: { hello: agent },
  basePath: '/skein',
  store: process.env['SKEIN_STORE'] ?? '.skein',
}))
