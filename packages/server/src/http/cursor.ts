import { ClewlineError } from '@clewline/core'
import { z } from 'zod'

/** Where a page ended, opaque to clients: a time and an id. */
export type Cursor = readonly [at: string, id: string]

const cursorSchema = z.tuple([z.string(), z.string()])

/** As a parameter of a query: `next` of the page before. */
export const cursorParameter = z.string().max(400)

export function formatCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

export function parseCursor(parameter: string, cursor: string): Cursor {
  const parsed = cursorSchema.safeParse(decoded(cursor))
  if (parsed.success) return parsed.data
  throw new ClewlineError('bad-request', `The query parameter "${parameter}" is not a cursor.`, {
    hint: 'Use the value of "next" from the page before.',
  })
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}
