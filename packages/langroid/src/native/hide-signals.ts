/** Words that steer a task and are not for people. */
const SIGNAL = /DONE|DO-NOT-KNOW|__PASS__(?::\w*)?|__SEND__:\w*/g
const MARKS = ['DONE', 'DO-NOT-KNOW', '__PASS__:', '__SEND__:'] as const
/** A word whose recipient may go on. */
const OPEN = /__(?:PASS__:?|SEND__:)\w*$/

/** Takes signals out of a text that comes in pieces. */
export interface SignalFilter {
  /** What may be shown now. */
  push(delta: string): string
  /** What is left at the end. */
  end(): string
}

export function hideSignals(): SignalFilter {
  let held = ''
  /** True after a signal with which the text began: the space behind it goes, too. */
  let isLeading = false
  let hasShown = false

  function release(end: number): string {
    const ready = held.slice(0, end)
    held = held.slice(end)
    const words = ready.replaceAll(SIGNAL, '')
    if (!hasShown && words !== ready) isLeading = true
    const shown = isLeading ? words.trimStart() : words
    if (shown !== '') {
      hasShown = true
      isLeading = false
    }
    return shown
  }

  return {
    push(delta) {
      held += delta
      return release(beginningOfSignal(held))
    },
    end: () => release(held.length),
  }
}

/** Where a signal begins that the text may not have finished; the text's length when there is none. */
function beginningOfSignal(text: string): number {
  const open = OPEN.exec(text)
  let first = open?.index ?? text.length
  for (const mark of MARKS) {
    for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
      if (text.endsWith(mark.slice(0, length))) first = Math.min(first, text.length - length)
  }
  return first
}
