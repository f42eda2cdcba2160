import type { File, View } from '@clewline/core/view'

/** True when a person changed the file last: the server tells that as a root call of its own, named `edit`. */
export function isEdited(view: View, { history }: File): boolean {
  const call = view.calls.get(history.at(-1)?.call_id ?? '')
  return call?.kind === 'graph' && call.name === 'edit' && call.children.length === 0
}
