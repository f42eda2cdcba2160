import type { OverridesKey, OverridesStore, SectionOverride } from './overrides-store.ts'

/** Edits in memory, for tests and for processes that load them from elsewhere. */
export function memoryOverrides(): OverridesStore {
  const sets = new Map<string, Map<string, SectionOverride>>()
  const setOf = (of: OverridesKey): Map<string, SectionOverride> => {
    const id = JSON.stringify([of.ns, of.key, of.tag])
    const found = sets.get(id) ?? new Map<string, SectionOverride>()
    sets.set(id, found)
    return found
  }
  return {
    load: async (of) => Object.fromEntries(setOf(of)),
    async save(of, path, override) {
      setOf(of).set(path, { ...override })
    },
    async remove(of, path) {
      setOf(of).delete(path)
    },
  }
}
