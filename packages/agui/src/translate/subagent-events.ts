import { EventType } from '@ag-ui/core'
import type { Json } from '@clewline/core'
import type { OpenCall } from './translator-state.ts'
import { callOfOwner, ownerBelow, ownerOf, putCall } from './transition.ts'
import type { Transition } from './transition.ts'

/** How a sub-agent ended, or that it waits for an answer. */
export type SubagentEnding =
  | { readonly type: 'success' }
  | { readonly type: 'suspended'; readonly interruptIds: readonly string[] }
  | { readonly type: 'error'; readonly message: string; readonly code: string }

/** Starts a sub-agent, and its ancestors first, in the client. Idempotent within a run. */
export function announce(next: Transition, owner: string | null): void {
  const call = owner === null ? undefined : callOfOwner(next, owner)
  if (call === undefined || call.isAnnounced) return
  // Not `call.owner`: the parent may have been retried since this call began.
  const parent = ownerBelow(next, call.parent)
  announce(next, parent)
  const about = describe(call)
  if (next.state.dialect.subagents) {
    next.out.push({
      type: EventType.SUBAGENT_STARTED,
      subagentRunId: ownerOf(call),
      name: call.name,
      ...(call.description !== undefined && { description: call.description }),
      ...(parent !== null && { parentSubagentRunId: parent }),
      ...(call.toolCallId !== undefined && { parentToolCallId: call.toolCallId }),
    })
  } else if (next.state.dialect.activities) {
    next.out.push({
      type: EventType.ACTIVITY_SNAPSHOT,
      messageId: `activity-${ownerOf(call)}`,
      activityType: ACTIVITY,
      content: { ...about, status: 'running' },
    })
  } else {
    next.out.push({ type: EventType.CUSTOM, name: ACTIVITY, value: { ...about, status: 'running' } })
  }
  putCall(next, { ...call, isAnnounced: true })
}

/** Ends it in the client. The call itself stays open when it waits for an answer. */
export function retire(next: Transition, call: OpenCall, ending: SubagentEnding): void {
  if (!call.isAnnounced) return
  if (next.state.dialect.subagents) {
    next.out.push(
      ending.type === 'error'
        ? {
            type: EventType.SUBAGENT_ERROR,
            subagentRunId: ownerOf(call),
            message: ending.message,
            code: ending.code,
          }
        : {
            type: EventType.SUBAGENT_FINISHED,
            subagentRunId: ownerOf(call),
            ...(next.state.dialect.v1 && {
              outcome:
                ending.type === 'success'
                  ? { type: 'success' as const }
                  : { type: 'suspended' as const, interruptIds: [...ending.interruptIds] },
            }),
          },
    )
  } else if (next.state.dialect.activities) {
    next.out.push({
      type: EventType.ACTIVITY_DELTA,
      messageId: `activity-${ownerOf(call)}`,
      activityType: ACTIVITY,
      patch: [{ op: 'replace', path: '/status', value: ending.type }],
    })
  } else {
    next.out.push({
      type: EventType.CUSTOM,
      name: ACTIVITY,
      value: { ...describe(call), status: ending.type },
    })
  }
  putCall(next, { ...call, isAnnounced: false })
}

// A SUBAGENT_* event ends the run of a client before 0.0.59; it gets an activity, or before 0.0.41 a CUSTOM of this name.
const ACTIVITY = 'subagent'

function describe(call: OpenCall): Record<string, Json> {
  return {
    id: ownerOf(call),
    name: call.name,
    ...(call.description !== undefined && { description: call.description }),
    ...(call.toolCallId !== undefined && { toolCallId: call.toolCallId }),
  }
}
