import { MemorySaver } from '@langchain/langgraph'
import { verify } from '@clewline/core/check'
import { type Envelope } from '@clewline/core'
import { fromGraph } from '@clewline/langgraph'
import { recordRun } from '@clewline/langgraph/testing'
import { expect, it } from 'vitest'
import { createResearchAgent } from './create-research-agent.ts'

const question = {
  kind: 'input',
  input: { messages: [{ role: 'user', content: 'How do heat pumps work in cold climates?' }] },
} as const
const approve = { kind: 'resume', answers: [{ value: { decisions: [{ type: 'approve' }] } }] } as const
const source = () => fromGraph(createResearchAgent({ paceMs: 0 }))

it('tells a rich and faultless story: plan, agents in parallel, files, reasoning, tokens, approval', async () => {
  const paused = await recordRun(source(), question, { checkpointer: new MemorySaver() })
  expect(paused.outcome.status).toBe('interrupted')
  expect(verify(paused.envelopes)).toEqual([])
  const done = await paused.next(approve)
  expect(done.outcome).toEqual({ status: 'success' })
  expect(verify(done.envelopes)).toEqual([])

  const agents = done.envelopes.filter((one) => one.type === 'tool_start' && one.payload.kind === 'subagent')
  expect(agents.map((one) => one.agent).sort()).toEqual([
    'critique-agent',
    'research-agent',
    'research-agent',
    'research-agent',
  ])
  const channels = new Set(
    done.envelopes.flatMap((one) => (one.type === 'llm_token' ? [one.payload.channel ?? 'text'] : [])),
  )
  expect([...channels].sort()).toEqual(['reasoning', 'text', 'tool_args'])
  const usage = done.envelopes.flatMap((one) =>
    one.type === 'llm_end' ? [one.payload.usage.total_tokens ?? 0] : [],
  )
  expect(usage.every((tokens) => tokens > 0)).toBe(true)
  const updates = done.envelopes.flatMap((one) => (one.type === 'tool_update' ? [one.payload] : []))
  expect(updates.some((update) => update.progress?.done === 3)).toBe(true)
  expect(updates.filter((update) => update.delta?.todos !== undefined)).toHaveLength(6)
  // Three researchers fill in their lines of one list; each is shown with what the others had done by then.
  const lists = updates.flatMap((update) => update.delta?.files?.changed?.['sources.md'] ?? [])
  expect(lists.map((list) => list.split('at work').length - 1)).toEqual([2, 1, 0])
})

it('goes on after a crash as if nothing had happened', async () => {
  const whole = await recordRun(source(), question, { checkpointer: new MemorySaver() })
  const checkpointer = new MemorySaver()
  let researchers = 0
  const died = await recordRun(source(), question, {
    checkpointer,
    diesAt: (one) => one.type === 'tool_end' && one.agent === 'research-agent' && (researchers += 1) === 5,
  })
  expect(died.outcome).toEqual({ status: 'died' })
  const recovered = await died.next({ kind: 'recover' })
  expect(recovered.outcome.status).toBe('interrupted')
  expect(verify(recovered.envelopes)).toEqual([])
  expect(filesOf(recovered.envelopes)).toEqual(filesOf(whole.envelopes))
})

/** The files as a reader of the envelopes would show them. */
function filesOf(envelopes: readonly Envelope[]): Record<string, string> {
  const files: Record<string, string> = {}
  for (const one of envelopes) {
    if (one.type !== 'tool_update') continue
    Object.assign(files, one.payload.delta?.files?.added, one.payload.delta?.files?.changed)
    for (const name of one.payload.delta?.files?.removed ?? []) delete files[name]
  }
  return files
}
