import type { Source } from '@clewline/core/source'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineConfig } from '../../config/define-config.ts'

const agent = 'echo'

/**
 * An agent without a framework, for the tests of the command line. It says the message back word by word; "fail" fails,
 * "ask" asks before it answers, "wait" waits to be cancelled, "stubborn" goes on whatever it hears, "slow" takes 20 ms for each of 100 words, "forget" leaves
 * a promise that rejects to nobody.
 */
const echo: Source = {
  name: agent,
  describe: () => ({ name: agent, description: 'Says it again.', scripted: true }),
  async run(request, context) {
    const { emit, signal } = { emit: context.emit.bind(context), signal: context.signal }
    const input = request.kind === 'input' ? request.input : null
    const message = /"content":"([^"]*)"/.exec(JSON.stringify(input))?.[1] ?? 'thanks'
    const checkpoint = { checkpoint_id: 'c1', node: 'echo' }
    if (context.isOpen([])) await emit({ type: 'subgraph_resume', path: [], agent, payload: checkpoint })
    else
      await emit({ type: 'tool_start', path: [], agent, payload: { tool_name: agent, kind: 'graph', input } })
    if (message === 'ask') {
      const interrupts = [{ id: 'i1', value: 'Really?' }]
      await emit({
        type: 'subgraph_checkpoint',
        path: [],
        agent,
        payload: { ...checkpoint, state_digest: 'd', interrupts },
      })
      return { status: 'interrupted', interrupts }
    }
    if (message === 'wait') {
      await sleep(60_000, undefined, { signal }).catch(() => undefined)
      return { status: 'cancelled' }
    }
    if (message === 'stubborn') await sleep(600_000)
    if (message === 'forget') {
      void Promise.reject(new Error('Nobody waits for me.'))
      await sleep(1)
    }
    if (message === 'fail') {
      await emit({
        type: 'error',
        path: [],
        agent,
        payload: { name: agent, message: 'It was asked to.', stack: '', class: 'Error' },
      })
      return { status: 'error', error: { name: 'Error', message: 'It was asked to.' } }
    }
    const isSlow = message === 'slow'
    const words = isSlow ? Array.from({ length: 100 }, (_, i) => `${i}`) : message.split(' ')
    const model = process.env['CLEWLINE_MODEL'] ?? 'echo-1'
    await emit({ type: 'llm_start', path: ['llm'], agent, payload: { model, params: {} } })
    for (const word of words) {
      await emit({ type: 'llm_token', path: ['llm'], agent, payload: { text: `${word} ` } })
      if (isSlow) await sleep(20)
    }
    const usage = { input_tokens: words.length, output_tokens: words.length }
    await emit({
      type: 'llm_end',
      path: ['llm'],
      agent,
      payload: { usage, finish_reason: 'stop', message: { id: 'm', text: message, tool_calls: [] } },
    })
    const answer = request.kind === 'resume' ? JSON.stringify(request.answers[0]?.value) : message
    const result = {
      messages: [{ id: 'm', role: 'assistant', text: `You said: ${answer}` }],
      files: {},
      usage,
    } as const
    await emit({ type: 'tool_end', path: [], agent, payload: { tool_name: agent, result, status: 'ok' } })
    return { status: 'success' }
  },
}

export default defineConfig({ agents: { echo } })
