import type { Store } from '../store/store.ts'

/** Owners that are named: a label with a value per tenant would be too much for Prometheus. */
const NAMED = 20

/** How many runs wait, of the owners with most of them; those without an owner have the empty name. */
export async function pendingByOwner({ runs }: Pick<Store, 'runs'>): Promise<ReadonlyMap<string, number>> {
  const [total, counts] = [await runs.pending(), await runs.countByOwner('pending', NAMED)]
  const others = total - counts.reduce((sum, { count }) => sum + count, 0)
  const named = counts.map(({ owner, count }) => [owner ?? '', count] as const)
  return new Map(others > 0 ? [...named, ['(others)', others]] : named)
}
