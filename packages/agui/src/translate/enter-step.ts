import { EventType } from '@ag-ui/core'
import { announce } from './subagent-events.ts'
import type { OpenCall } from './translator-state.ts'
import { isVisible, putCall, tag } from './transition.ts'
import type { Transition } from './transition.ts'

/** Opens a step for the call, or joins the one of that name: a step lasts as long as any call is in it. */
export function enterStep(next: Transition, call: OpenCall, stepName: string | undefined): void {
  if (stepName === undefined || stepName === '' || !isVisible(next, call.owner)) return
  announce(next, call.owner)
  const isOpen = Object.values(next.state.calls).some(
    (other) => other.id !== call.id && other.owner === call.owner && other.step === stepName,
  )
  putCall(next, { ...call, step: stepName })
  if (!isOpen) next.out.push({ type: EventType.STEP_STARTED, stepName, ...tag(call.owner) })
}
