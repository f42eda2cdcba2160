import { ClewlineError } from '../clewline-error.ts'
import type { Json } from '../json.ts'

/** Deeper than any honest input, and far from where recursive code, such as a schema's, runs out of stack. */
export const MAX_DEPTH = 128

/** What is taken of a body. */
export interface BodyLimits {
  readonly bytes: number
  /** Items of arrays and fields of objects, all together. Default 50,000. */
  readonly items?: number
}

/** Work is done per value, not per byte: two million digits are 4 MB, and seconds for those who handle each of them. */
const MAX_ITEMS = 50_000

/** The body as text, refused as soon as it exceeds `limit` bytes. */
export async function readText(request: Request, limit: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit)
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength
      if (size > limit) throw tooLarge(limit)
      text += decoder.decode(chunk, { stream: true })
    }
  } catch (cause) {
    if (cause instanceof ClewlineError) throw cause
    // The connection was lost, which is no failure of the server: the client, if it is there at all, is to try again.
    throw new ClewlineError('bad-request', 'The body did not arrive as a whole.', {
      hint: 'Send it again.',
      cause,
    })
  }
  return text + decoder.decode()
}

/** The body as JSON, bounded in size, depth and number of values. An empty body is an empty object. */
export async function readJson(request: Request, { bytes, items = MAX_ITEMS }: BodyLimits): Promise<Json> {
  const text = await readText(request, bytes)
  if (text.trim() === '') return {}
  checkShape('The body', text, items)
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

/** Refuses JSON that is too deep, or has too many values, before it is parsed. Returns how many it has. */
export function checkShape(what: string, text: string, items: number = MAX_ITEMS): number {
  const shape = shapeOf(text)
  if (shape.depth > MAX_DEPTH) {
    throw new ClewlineError('bad-request', `${what} is nested more than ${MAX_DEPTH} levels deep.`, {
      hint: 'Send a flatter value, or send the nested part as a string.',
    })
  }
  if (shape.items > items) {
    throw new ClewlineError('too-large', `${what} has more than ${items} values.`, {
      hint: "Send fewer, send many numbers as one text, or raise the server's limit, maxBodyItems.",
    })
  }
  return shape.items
}

function tooLarge(limit: number): ClewlineError {
  return new ClewlineError('too-large', `The body is larger than ${limit} bytes.`, {
    hint: "Send less, or raise the server's limit, maxBodyBytes.",
  })
}

/** How deep the brackets go and how many values there are, without building anything. */
function shapeOf(text: string): { readonly depth: number; readonly items: number } {
  let depth = 0
  let items = 1
  let deepest = 0
  let isText = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (isText) {
      if (char === 92) i++
      else if (char === 34) isText = false
    } else if (char === 34) isText = true
    else if (char === 44) items++
    else if (char === 91 || char === 123) {
      items++
      deepest = Math.max(deepest, ++depth)
    } else if (char === 93 || char === 125) depth--
  }
  return { depth: deepest, items }
}
