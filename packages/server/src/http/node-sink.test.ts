import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHeartbeat } from './heartbeat.ts'
import { nodeSink } from './node-sink.ts'
import type { Sink } from '../log/pump.ts'

/** A real connection whose client reads only when told to, and the sink on the server's side of it. */
async function connection(stallMs: number, onCut: () => void) {
  const sinks: Sink[] = []
  const server = createServer((_request, response) => {
    response.writeHead(200)
    sinks.push(nodeSink(response, onCut, stallMs))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await expect.poll(() => sinks.length).toBe(1)
  return { sink: sinks[0]!, socket }
}

const block = Buffer.alloc(256 * 1024)

test('a reader that takes nothing for too long is cut', async () => {
  let cuts = 0
  const { sink } = await connection(50, () => (cuts += 1))
  // The kernel takes a few megabytes before it pushes back.
  do while (sink.write(block));
  while (await sink.room())
  expect({ cuts, isClosed: sink.isClosed() }).toEqual({ cuts: 1, isClosed: true })
})

test('a reader that reads again gets room again', async () => {
  const { sink, socket } = await connection(5_000, () => {})
  while (sink.write(block));
  const room = sink.room()
  socket.resume()
  expect(await room).toBe(true)
})

test('a reader that goes gives no room, and says that it went', async () => {
  const { sink, socket } = await connection(5_000, () => {})
  const closed = new Promise<void>((resolve) => sink.onClose(resolve))
  while (sink.write(block));
  const room = sink.room()
  socket.destroy()
  await closed
  expect(await room).toBe(false)
})

test('a reader that has not taken the rest when its stream ends gets nothing more, and is cut in the end', async () => {
  let cuts = 0
  const { sink } = await connection(50, () => (cuts += 1))
  // More than the kernel takes.
  for (let i = 0; i < 128; i++) sink.write(block)
  const closed = new Promise<void>((resolve) => sink.onClose(resolve))
  sink.end()
  expect({ wrote: sink.write(block), room: await sink.room(), isClosed: sink.isClosed() }).toEqual({
    wrote: false,
    room: false,
    isClosed: true,
  })
  await closed
  expect(cuts).toBe(1)
})

test('the heartbeat reaches every reader until it goes', async () => {
  const heartbeat = createHeartbeat(20)
  onTestFinished(() => heartbeat.stop())
  const { sink, socket } = await connection(5_000, () => {})
  heartbeat.join(sink)
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.resume()
  await expect.poll(() => text.split(': hb\n\n').length).toBeGreaterThan(3)
})
