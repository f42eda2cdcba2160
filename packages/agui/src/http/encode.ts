import type { Event } from '@ag-ui/core'
import type { Form } from './negotiate.ts'

/** Events that belong together, and the log position that the client has reached with them. */
export interface Batch {
  readonly events: readonly Event[]
  readonly position: number
}

export type Encode = (batch: Batch) => Uint8Array | Promise<Uint8Array>

/** Writes batches in one form. With `ids` an SSE client can come back to where it was cut off. */
export async function encoder(form: Form, ids: boolean): Promise<Encode> {
  const utf8 = new TextEncoder()
  switch (form) {
    case 'sse':
      return ({ events, position }) => {
        let text = ''
        for (const [index, event] of events.entries()) {
          if (ids && index === events.length - 1) text += `id: ${position}\n`
          text += `data: ${JSON.stringify(event)}\n\n`
        }
        return utf8.encode(text)
      }
    case 'ndjson':
      return ({ events }) => utf8.encode(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
    case 'protobuf': {
      // Loaded when first asked for: it is the largest part of AG-UI and hardly anyone wants it.
      const { encode } = await import('@ag-ui/proto')
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- two copies of one enum: core is peered with two zods
      return ({ events }) => concat(events.map((event) => frame(encode(event))))
    }
  }
}

/** Kept alive through proxies by something that says nothing; protobuf has no such thing. */
export const HEARTBEATS: Readonly<Record<Form, Uint8Array | null>> = {
  sse: new TextEncoder().encode(': hb\n\n'),
  ndjson: new TextEncoder().encode('\n'),
  protobuf: null,
}

/** Big-endian length, then the message. */
function frame(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(4 + message.length)
  new DataView(framed.buffer).setUint32(0, message.length)
  framed.set(message, 4)
  return framed
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
