import { createClewline, type Clewline } from '@clewline/server'
import { agent } from './agent.ts'

declare global {
  var clewline: Promise<Clewline> | undefined
}

// Next loads a module again after each edit; the store has one owner, so the Clewline outlives the module.
export const clewline = (globalThis.clewline ??= createClewline({
  agents: { hello: agent },
  basePath: '/clewline',
  store: process.env['CLEWLINE_STORE'] ?? '.clewline',
}))
