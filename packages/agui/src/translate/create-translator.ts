import type { Event } from '@ag-ui/core'
import type { Envelope } from '@clewline/core'
import { beginRun, endRun } from './run-boundary.ts'
import type { RunEnding } from './run-boundary.ts'
import { step } from './step.ts'
import { initialState } from './translator-state.ts'
import type { TranslatorOptions, TranslatorState } from './translator-state.ts'
import type { Transition } from './transition.ts'

/** `step` with its state kept for you. */
export interface Translator {
  /** The events of the next envelope. Runs open and close by themselves as the log goes from one to the next. */
  push(envelope: Envelope): readonly Event[]
  /** Opens a run before its first envelope. */
  begin(run_id: string): readonly Event[]
  /** Closes the run if it is open: the log has no envelope for the end of an interrupted run, or of one that never began. */
  end(ending: RunEnding): readonly Event[]
  state(): TranslatorState
}

/** A translator with its state inside; `from` is a state to go on from. */
export function createTranslator(options: TranslatorOptions, from?: TranslatorState): Translator {
  let state = from ?? initialState(options)

  function change(apply: (next: Transition) => void): readonly Event[] {
    const next: Transition = { state: { ...state }, out: [] }
    apply(next)
    state = next.state
    return next.out
  }

  return {
    push(envelope) {
      const [next, events] = step(state, envelope)
      state = next
      return events
    },
    begin: (run_id) => change((next) => beginRun(next, run_id)),
    end: (ending) => (state.phase === 'over' ? [] : change((next) => endRun(next, ending))),
    state: () => state,
  }
}
