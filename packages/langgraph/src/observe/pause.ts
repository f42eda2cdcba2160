import { coerce, type Interrupt, isRecord, type Json } from '@clewline/core'
import type { GraphInterruptEvent } from '@langchain/langgraph'
import type { Question } from '../open-interrupts.ts'
import { type Call, graphAround, isWithin } from './calls.ts'
import { cancelCall } from './end-call.ts'
import type { ObservedRun } from './observed-run.ts'
import type { Scope } from './scope.ts'

/** What is known of the pause beside the event, from the state that was saved. */
export interface Waiting {
  /** The nodes that would run next. */
  readonly next?: readonly string[]
  readonly questions?: readonly Pick<Question, 'id' | 'question_id'>[]
}

/**
 * Pauses the run: each interrupt is emitted once, at the call that raised it. Calls that neither raised one nor are
 * around one that did will run again at the resume, so here they end as cancelled.
 */
export async function pause(
  run: ObservedRun,
  event: GraphInterruptEvent,
  { next = [], questions = [] }: Waiting = {},
): Promise<readonly Interrupt[]> {
  const { open, rootScope } = run.calls
  const asked = new Map<Scope, Interrupt[]>()
  for (const raised of event.interrupts) {
    const scope = openScope(run.facts.askerOf(raised) ?? rootScope)
    const interrupt = interruptOf(raised, scope, questions.find(({ id }) => id === raised.id)?.question_id)
    asked.set(scope, [...(asked.get(scope) ?? []), interrupt])
  }
  // A breakpoint (`interruptBefore`, `interruptAfter`) pauses without a question.
  if (asked.size === 0) asked.set(rootScope, [breakpoint(event.checkpointId, next)])

  const askers = [...asked.keys()].map((scope) => scope.call)
  for (const call of [...open].reverse())
    if (!askers.some((asker) => isWithin(asker, call))) await cancelCall(run, call)

  for (const [scope, interrupts] of asked) {
    const { path, agent } = scope.call
    const saved = savedState(scope.call, event.checkpointId)
    const payload = { ...saved, node: scope.node ?? next.join(','), interrupts }
    await run.emit({ type: 'subgraph_checkpoint', path, agent, payload })
  }
  return [...asked.values()].flat()
}

/** The nearest scope whose call is open: a recording may have lost the end of a node, and a call around it is over. */
function openScope(scope: Scope): Scope {
  let at = scope
  while (!isOpen(at.call) && at.parent !== null) at = at.parent
  return at
}

function isOpen(call: Call): boolean {
  for (let at: Call | null = call; at !== null; at = at.parent) if (!at.isOpen) return false
  return true
}

function breakpoint(checkpointId: string, next: readonly string[]): Interrupt {
  return { id: `breakpoint:${checkpointId}`, value: { breakpoint: next } }
}

function interruptOf(
  raised: { id?: string; value?: unknown },
  scope: Scope,
  question_id: string | undefined,
): Interrupt {
  const value = coerce(raised.value)
  const tool_call_id = approvalOf(value, scope.call) ?? scope.call.toolCallId
  return {
    id: raised.id ?? '',
    ...(question_id !== undefined && { question_id }),
    value,
    ...(tool_call_id !== undefined && { tool_call_id }),
  }
}

/** LangChain's approval middleware asks by name and arguments only; the model's last answer knows the id. */
function approvalOf(value: Json, call: Call): string | undefined {
  const requests = isRecord(value) ? value['actionRequests'] : undefined
  if (!Array.isArray(requests) || requests.length !== 1) return undefined
  const request: unknown = requests[0]
  if (!isRecord(request)) return undefined
  const args = JSON.stringify(request['args'])
  const matches = graphAround(call)?.toolCalls.filter(
    (asked) => asked.name === request['name'] && JSON.stringify(asked.args) === args,
  )
  return matches?.length === 1 ? matches[0]?.id : undefined
}

function savedState(call: Call, fallback: string): { checkpoint_id: string; state_digest: string } {
  for (let at: Call | null = call; at !== null; at = at.parent)
    if (at.graph?.saved)
      return { checkpoint_id: at.graph.saved.checkpointId, state_digest: at.graph.saved.digest }
  return { checkpoint_id: fallback, state_digest: '' }
}
