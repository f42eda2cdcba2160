import { Annotation, interrupt, START, StateGraph } from '@langchain/langgraph'
import type { Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { parseJsonl } from '@clewline/core/read'
import { expect, test } from 'vitest'
import { startService } from '../testing/start-service.ts'

const State = Annotation.Root({ answer: Annotation<string> })

const asks = new StateGraph(State)
  .addNode('ask', () => ({ answer: interrupt<string, string>('Sure?') }))
  .addEdge(START, 'ask')
  .compile()

test.each([
  ['with its users', true, 'ada'],
  ['without any', false, null],
])(
  'who started, decided and edited is in an exported file alone: a service %s',
  async (_name, hasUsers, by) => {
    const authenticate = (): { id: string } => ({ id: 'ada' })
    const { call, url } = await startService({ agents: { asks }, ...(hasUsers ? { authenticate } : {}) })
    await call('POST', '/api/threads', { thread_id: 't' })
    const run = async (run_id: string, request: object, status: string): Promise<void> => {
      await call('POST', '/api/threads/t/runs', { agent: 'asks', run_id, ...request })
      await expect
        .poll(async () => (await call('GET', `/api/threads/t/runs/${run_id}`)).body['status'])
        .toBe(status)
    }
    await run('one', { input: {} }, 'interrupted')
    const asked = Date.now() / 1000
    await run('two', { resume: [{ value: 'yes' }] }, 'success')
    await call('PATCH', '/api/threads/t/state', { values: { answer: 'no' } })

    const envelopes: Envelope[] = []
    for await (const read of parseJsonl([await (await fetch(`${url}/api/threads/t/export`)).text()]))
      if ('envelope' in read) envelopes.push(read.envelope)
    expect(verify(envelopes)).toEqual([])
    const starts = envelopes.filter(({ type, parent_id }) => type === 'tool_start' && parent_id === null)
    expect(starts.map(({ payload }) => payload)).toMatchObject([{ by }, { by, tool_name: 'edit' }])
    const question = envelopes.flatMap((envelope) =>
      envelope.type === 'subgraph_checkpoint' ? (envelope.payload.interrupts ?? []) : [],
    )
    expect(question[0]?.question_id).toBeTypeOf('string')
    const [resume] = envelopes.flatMap((envelope) => (envelope.type === 'subgraph_resume' ? [envelope] : []))
    expect(resume?.payload.answers).toEqual([
      {
        interrupt_id: question[0]?.id,
        question_id: question[0]?.question_id,
        value: 'yes',
        by,
        at: expect.any(Number),
      },
    ])
    expect(Math.abs(resume!.payload.answers![0]!.at - asked)).toBeLessThan(5)
  },
)
