import type { JsonPatchOperation } from '@ag-ui/core'
import { isRecord } from '@clewline/core'
import type { Delta } from '@clewline/core'

/**
 * A delta as JSON Patch. `add` to an object replaces what is there (RFC 6902, 4.1), so a patch applies whatever the
 * client's state held before; only `/files` must exist first.
 */
export function statePatch(
  delta: Delta,
  hasFiles: boolean,
): { readonly patch: JsonPatchOperation[]; readonly hasFiles: boolean } {
  const patch: JsonPatchOperation[] = []
  let isThere = hasFiles
  for (const [key, value] of Object.entries(delta.state ?? {})) {
    if (key === 'messages') continue
    patch.push({ op: 'add', path: `/${escape(key)}`, value })
    if (key === 'files') isThere = isRecord(value)
  }
  if (delta.todos !== undefined) patch.push({ op: 'add', path: '/todos', value: delta.todos })
  const { added = {}, changed = {}, removed = [] } = delta.files ?? {}
  const written = Object.entries({ ...added, ...changed })
  if (written.length > 0 && !isThere) {
    patch.push({ op: 'add', path: '/files', value: {} })
    isThere = true
  }
  for (const [name, text] of written) patch.push({ op: 'add', path: `/files/${escape(name)}`, value: text })
  if (isThere) {
    for (const name of removed) {
      // `remove` fails on what is not there; add and remove together never do.
      patch.push({ op: 'add', path: `/files/${escape(name)}`, value: '' })
      patch.push({ op: 'remove', path: `/files/${escape(name)}` })
    }
  }
  return { patch, hasFiles: isThere }
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
