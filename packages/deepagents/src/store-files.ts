import type { BaseStore } from '@langchain/langgraph'
import type { FileBackend } from './file-backend.ts'
import { applyChange } from './file-operation.ts'
import { takeTurns } from './take-turns.ts'

const PAGE = 100

/** Per store: two agents may be given the same one. */
const turns = new WeakMap<BaseStore, ReturnType<typeof takeTurns>>()

/** Files in a LangGraph store, one item each. Changes are atomic within a process: a store has no compare-and-set. */
export function storeFiles(store: BaseStore, namespace: readonly string[]): FileBackend {
  const inTurn = turns.get(store) ?? takeTurns()
  turns.set(store, inTurn)
  const place = [...namespace]

  return {
    owns: () => true,
    async load() {
      const files: Record<string, string> = {}
      for (let offset = 0; ; offset += PAGE) {
        const items = await store.search(place, { limit: PAGE, offset })
        for (const { key, value, namespace: found } of items) {
          // A search also finds what lies in namespaces below.
          const content: unknown = found.length === place.length ? value['content'] : undefined
          if (typeof content === 'string') files[key] = content
        }
        if (items.length < PAGE) return files
      }
    },
    apply(change) {
      return inTurn([...place, change.name].join('\0'), async () => {
        const before: unknown = (await store.get(place, change.name))?.value['content']
        const files = new Map(typeof before === 'string' ? [[change.name, before]] : [])
        if (!applyChange(files, change)) return false
        const after = files.get(change.name)
        if (after === undefined) await store.delete(place, change.name)
        else await store.put(place, change.name, { content: after })
        return true
      })
    },
  }
}
