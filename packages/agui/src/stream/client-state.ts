import { isRecord } from '@clewline/core'
import type { Json, JsonObject } from '@clewline/core'

/** An agent's state as the client holds it: without the messages, which have events of their own, and files as text. */
export function clientState(values: Json, changed: Json = null): JsonObject {
  const { messages: _shown, ...state } = {
    ...(isRecord(values) ? values : {}),
    ...(isRecord(changed) ? changed : {}),
  }
  const files = new Map(Object.entries(state)).get('files')
  if (!isRecord(files)) return state
  return {
    ...state,
    files: Object.fromEntries(Object.entries(files).map(([name, file]) => [name, textOfFile(file)])),
  }
}

/** Whether the client's state has an object at `/files`, into which a patch may add. */
export function hasFiles(state: JsonObject): boolean {
  return typeof state['files'] === 'object' && state['files'] !== null
}

/** Deep agents keep `{content: string | lines[], …}` per file; deltas carry plain text. */
function textOfFile(file: Json): Json {
  if (!isRecord(file)) return file
  const { content } = file
  if (Array.isArray(content)) return content.join('\n')
  return content ?? file
}
