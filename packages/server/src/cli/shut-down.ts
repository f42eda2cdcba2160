import { within } from '@clewline/core'
import type { CloseOptions } from '../runtime/create-runtime.ts'
import { EXIT, type Given } from './command.ts'
import { write, type Io } from './io.ts'

/** What the end itself may take beyond the drain: grace periods, the last commit, the store's connections. */
const MARGIN_MS = 10_000

/** Ends a process that runs agents, within a bound whatever is stuck. Resolves with the exit code. */
export async function shutDown(
  closable: { close(options: CloseOptions): Promise<void> },
  given: Given,
  io: Io,
): Promise<number> {
  const timeoutMs = (given.number('drain-seconds') ?? 10) * 1000
  let abandoned = 0
  const closing = closable.close({ timeoutMs, onAbandoned: (runs) => (abandoned = runs) })
  const isClosed = await within(closing, timeoutMs + MARGIN_MS)
  if (isClosed && abandoned === 0) return EXIT.done
  const what = isClosed
    ? `${abandoned} of its runs could not be handed over`
    : 'something in it does not stop'
  await write(
    io.stderr,
    `clewline: ${what}.\n  They are taken up when their leases expire, or when the store is opened again.\n`,
  )
  return EXIT.abandoned
}
