import { onTestFinished } from 'vitest'
import type { AguiOptions } from '../http/agui-handlers.ts'
import { memoryThreads } from '../memory-threads.ts'
import { scriptedSource } from './scripted-source.ts'
import type { Scene } from './scripted-source.ts'
import { serveAgui } from './serve-agui.ts'
import type { AguiServer } from './serve-agui.ts'

/** A server with one agent that plays the scene, until the test that asks for it is over. */
export async function serveScene(
  scene: Scene,
  options: Omit<AguiOptions, 'threads'> = {},
): Promise<AguiServer> {
  const threads = memoryThreads({ agents: { agent: scriptedSource('agent', scene) } })
  const server = await serveAgui({ threads, ...options })
  onTestFinished(() => server.close())
  return server
}

/** Says hello, under ids that count the messages. */
export const hello: Scene = async ({ say, messages }) => {
  await say([`l${messages.length}`], `a${messages.length}`, ['Hel', 'lo ', 'there'])
}
