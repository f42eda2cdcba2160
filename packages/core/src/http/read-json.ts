import { ClewlineError } from '../clewline-error.ts'
import type { Json } from '../json.ts'

/** Deeper than any honest input, and far from where recursive code, such as a schema's, runs out of stack. */
export const MAX_DEPTH = 128

/** The body as text, refused as soon as it exceeds `limit` bytes. */
export async function readText(request: Request, limit: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit)
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(limit)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** The body as JSON, bounded in size and depth. An empty body is an empty object. */
export async function readJson(request: Request, limit: number): Promise<Json> {
  const text = await readText(request, limit)
  if (text.trim() === '') return {}
  if (depthOf(text) > MAX_DEPTH) {
    throw new ClewlineError('bad-request', `The body is nested more than ${MAX_DEPTH} levels deep.`, {
      hint: 'Send a flatter value, or send the nested part as a string.',
    })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ClewlineError(
      'bad-request',
      `The body is not JSON: ${cause instanceof Error ? cause.message : ''}`,
      { hint: 'Send a JSON object with content-type application/json.', cause },
    )
  }
}

function tooLarge(limit: number): ClewlineError {
  return new ClewlineError('too-large', `The body is larger than ${limit} bytes.`, {
    hint: "Send less, or raise the server's limit, maxBodyBytes.",
  })
}

/** How deep the brackets go, without building anything. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isText = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (isText) {
      if (char === 92) i++
      else if (char === 34) isText = false
    } else if (char === 34) isText = true
    else if (char === 91 || char === 123) deepest = Math.max(deepest, ++depth)
    else if (char === 93 || char === 125) depth--
  }
  return deepest
}
