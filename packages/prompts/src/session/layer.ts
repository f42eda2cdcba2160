import { ClewlineError } from '@clewline/core'
import type { Slice, SlicePolicy } from './slice.ts'

export type SliceValues = readonly unknown[]

/** An operation on the values of a layer, kept so that it can be replayed on the layer below. */
type Change<R = unknown> = (layer: Layer, only: SlicePolicy | undefined) => R

/** Where values live: the session itself, or a transaction that reads through to what is below it. */
export interface Layer {
  read(slice: Slice<unknown>): SliceValues
  /** Freezes the list: a reader that changes it in place would pass by the transaction. */
  write(slice: Slice<unknown>, values: SliceValues): void
  /** Makes a change here; `only` restricts it to slices of one policy. */
  perform<R>(change: Change<R>, only?: SlicePolicy): R
}

export interface TransactionLayer extends Layer {
  /** Replays the journal on the layer below. */
  commit(): void
  /** Discards the writes to `state` slices; those to `log` slices are kept unless `dropLogs`. */
  rollback(options?: { readonly dropLogs?: boolean }): void
}

export interface RootLayer extends Layer {
  readonly values: Map<string, SliceValues>
}

export function rootLayer(values = new Map<string, SliceValues>()): RootLayer {
  const layer: RootLayer = {
    values,
    read: (slice) => values.get(slice.name) ?? [],
    write: (slice, next) => values.set(slice.name, Object.freeze(next)),
    perform: (change, only) => change(layer, only),
  }
  return layer
}

/**
 * A journal of operations, not of values: commit replays it below, so parallel transactions that touch the same slice
 * both count, in the order in which they commit. After commit or rollback every write throws, so a handler that outlives its call is harmless.
 */
export function transactionLayer(below: Layer, label: string): TransactionLayer {
  const overlay = new Map<string, SliceValues>()
  let journal: [Change, SlicePolicy | undefined][] = []
  let open = true

  const close = () => {
    assertOpen()
    open = false
    overlay.clear()
    const done = journal
    journal = []
    return done
  }
  const assertOpen = () => {
    if (!open)
      throw new ClewlineError('conflict', `${label} is over: it cannot write to the session any more.`, {
        hint: 'Await all work inside the handler and stop when its signal aborts.',
      })
  }
  const layer: TransactionLayer = {
    read: (slice) => overlay.get(slice.name) ?? below.read(slice),
    write: (slice, next) => overlay.set(slice.name, Object.freeze(next)),
    perform(change, only) {
      assertOpen()
      journal.push([change, only])
      return change(layer, only)
    },
    commit: () => close().forEach(([change, only]) => below.perform(change, only)),
    rollback({ dropLogs = false } = {}) {
      const done = close()
      if (!dropLogs) done.forEach(([change]) => below.perform(change, 'log'))
    },
  }
  return layer
}
