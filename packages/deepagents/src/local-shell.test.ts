import { tmpdir } from 'node:os'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { expect, it, vi } from 'vitest'
import { createDeepAgent } from './create-deep-agent.ts'
import { localShell } from './local-shell.ts'
import { CountingModel } from './testing/counting-model.ts'

const directory = tmpdir()

it.each([
  ['echo out; echo err >&2', { output: 'out\nerr\n', exitCode: 0 }],
  ['exit 3', { output: '', exitCode: 3 }],
  ['printf %s "$SECRET_KEY"', { output: '', exitCode: 0 }],
])('runs %j', async (command, execution) => {
  vi.stubEnv('SECRET_KEY', 'secret')
  expect(await localShell({ directory }).execute(command, {})).toEqual(execution)
  vi.unstubAllEnvs()
})

it('kills a command that takes too long, with what it started', async () => {
  const shell = localShell({ directory, timeout: 200 })
  const { exitCode } = await shell.execute('sleep 60 & sleep 60', {})
  expect(exitCode).toBeNull()
})

it('kills a command when the run is cancelled', async () => {
  const controller = new AbortController()
  const run = localShell({ directory }).execute('sleep 60', { signal: controller.signal })
  controller.abort()
  await expect(run).rejects.toThrow(/abort/i)
})

it('keeps the end of much output', async () => {
  const { output } = await localShell({ directory, maxOutput: 10 }).execute('seq 1 1000', {})
  expect(output).toBe('8\n999\n1000\n'.slice(-10))
})

it('is a tool of an agent only when the agent was given a sandbox', async () => {
  const calls = [{ name: 'execute', args: { command: 'echo hello; exit 2' } }]
  const run = async (options: { sandbox?: ReturnType<typeof localShell> }) => {
    const model = new CountingModel((turn) => (turn === 0 ? calls : 'done'))
    const { messages } = await createDeepAgent({ instructions: 'x', model, ...options }).invoke({
      messages: [new HumanMessage('go')],
    })
    return messages.find((message) => ToolMessage.isInstance(message))
  }
  expect((await run({}))?.text).toContain('execute is not a valid tool')
  const answer = await run({ sandbox: localShell({ directory }) })
  expect(answer).toMatchObject({
    status: 'error',
    artifact: { exitCode: 2 },
    text: 'hello\n\n[Exit code 2.]',
  })
})
