import { EventType } from '@ag-ui/core'
import type { Batch } from '../stream/stream-events.ts'
import type { Form } from './negotiate.ts'

export type Encode = (batch: Batch) => Uint8Array

/** Writes batches in one form. With `ids` an SSE client can resume where its connection was lost. */
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
      // Loaded lazily: it is the largest part of AG-UI and hardly ever asked for.
      const { encode } = await import('@ag-ui/proto')
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- two copies of one enum: core is peered with two zods
      return ({ events }) => concat(events.map((event) => frame(encode(event))))
    }
  }
}

/** A chunk for each batch. An event that cannot be encoded ends the stream in a RUN_ERROR: a truncated one looks like success. */
export async function* encodeEvents(
  batches: AsyncIterable<Batch>,
  encode: Encode,
): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    const chunk = encodedOrError(batch, encode)
    if (chunk instanceof Uint8Array) {
      yield chunk
      continue
    }
    const message = `An event could not be encoded: ${chunk.message}`
    const failure = { type: EventType.RUN_ERROR as const, code: 'ENCODING_ERROR', message }
    yield encode({ events: [failure], position: batch.position })
    return
  }
}

function encodedOrError(batch: Batch, encode: Encode): Uint8Array | Error {
  try {
    return encode(batch)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** What keeps an idle connection alive through proxies; protobuf has no empty message. */
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
