import { isRecord } from '@clewline/core'

/** An error, its causes and the members of aggregates, each once, outermost first. */
export function causesOf(error: unknown): Record<string, unknown>[] {
  const seen = new Set<unknown>()
  const chain: Record<string, unknown>[] = []
  const visit = (each: unknown): void => {
    if (!isRecord(each) || seen.has(each)) return
    seen.add(each)
    chain.push(each)
    if (Array.isArray(each['errors'])) each['errors'].forEach(visit)
    visit(each['cause'])
  }
  visit(error)
  return chain
}
