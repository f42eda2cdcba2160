import { EventType } from '@ag-ui/core'
import { announce } from './subagent-events.ts'
import type { OpenCall } from './translator-state.ts'
import { isVisible, putCall, tag } from './work.ts'
import type { Work } from './work.ts'

/** Opens a step for the call, or joins the one of that name: a step lasts as long as any call is in it. */
export function enterStep(work: Work, call: OpenCall, stepName: string | undefined): void {
  if (stepName === undefined || stepName === '' || !isVisible(work, call.owner)) return
  announce(work, call.owner)
  const isOpen = Object.values(work.state.calls).some(
    (other) => other.id !== call.id && other.owner === call.owner && other.step === stepName,
  )
  putCall(work, { ...call, step: stepName })
  if (!isOpen) work.out.push({ type: EventType.STEP_STARTED, stepName, ...tag(call.owner) })
}
