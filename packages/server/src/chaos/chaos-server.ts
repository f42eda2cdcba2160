import { createClewline } from '../create-clewline.ts'
import type { User } from '../http/authentication.ts'
import { serve } from '../serve.ts'
import { openStore } from '../store/open-store.ts'
import { parseAim } from './aim.ts'
import { chaosAgents } from './chaos-agents.ts'
import { deadlyStore } from './deadly-store.ts'

// Loaded and warm, it waits for its orders, so that the successor of a killed server is there at once. Only this entry
// knows how to die on purpose. When the suite itself is stopped, it ends too.
process.once('disconnect', () => process.exit())
process.once('message', async (orders: { readonly store: string; readonly aim: string }) => {
  const aim = parseAim(orders.aim)
  const store = await openStore(orders.store)
  const clewline = await createClewline({
    agents: chaosAgents,
    store: aim === null ? store : deadlyStore(store, aim),
    studio: false,
    authenticate: (request) => userOf(request),
    // By chance one run may be hit again and again; what is tested is that it survives that.
    maxCrashes: 50,
    // On a store that processes share, the successor of a killed one waits for its lease to expire.
    leaseMs: 1_500,
  })
  const { url } = await serve(clewline, { port: 0 })
  process.send?.({ url })
})

/** The token is the name: there are two tenants, and both are known. */
function userOf(request: Request): User | null {
  const id = /^Bearer (alice|bob)$/.exec(request.headers.get('authorization') ?? '')?.[1]
  return id === undefined ? null : { id, permissions: ['metrics'] }
}
