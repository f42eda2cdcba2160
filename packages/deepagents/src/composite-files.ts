import type { FileBackend } from './file-backend.ts'
import type { Files } from './file-operation.ts'

/** Backends by the beginning of a file's name, the longest first: `{ memory_: storeFiles(…) }`. The rest stays in the state. */
export function compositeFiles(routes: Readonly<Record<string, FileBackend>>): FileBackend {
  const byLength = Object.entries(routes).sort(([a], [b]) => b.length - a.length)
  const routeOf = (name: string): FileBackend | undefined =>
    byLength.find(([prefix, backend]) => name.startsWith(prefix) && backend.owns(name))?.[1]

  return {
    owns: (name) => routeOf(name) !== undefined,
    async load() {
      const loaded = await Promise.all(
        byLength.map(async ([, backend]) => ({ backend, files: await backend.load() })),
      )
      // A backend may hold files that another one, or the state, is responsible for here.
      const owned = loaded.flatMap(({ backend, files }) =>
        Object.entries(files).filter(([name]) => routeOf(name) === backend),
      )
      return Object.fromEntries(owned) satisfies Files
    },
    apply: async (change) => (await routeOf(change.name)?.apply(change)) ?? false,
  }
}
