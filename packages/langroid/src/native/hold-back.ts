import { braceScanner } from './extract-json.ts'

/** Lets text through and keeps tool JSON out of it, though both arrive in pieces. */
export interface HoldBack {
  /** What may be shown now. */
  push(delta: string): string
  /** What is left at the end of the answer. */
  end(): string
}

const MARKERS = ['TOOL:', '```', '{'] as const
/** Marks that may stand before the JSON of a tool call. */
const OPENING = /^(?:TOOL:\s*|```[a-zA-Z]*\s*)*/
const CLOSING_FENCE = /^\s*```/

/** `isTool` judges a balanced `{…}`. A tool's marks (`TOOL:`, a code fence) disappear with it. */
export function holdBack(isTool: (json: string) => boolean): HoldBack {
  let held = ''
  /** After a fenced tool call: the closing fence is still to come. */
  let expectsFence = false
  /** While what is held ends in a `{` that is not closed yet: what stands before it, and how far it was read. */
  let open: { readonly opening: string; readonly scan: (piece: string) => number } | null = null

  /** What to show of the first `end` characters that are held, which close a `{` after `opening`. */
  function judge(opening: string, end: number): string {
    const whole = held.slice(0, end)
    held = held.slice(end)
    if (!isTool(whole.slice(opening.length))) return whole
    expectsFence = opening.includes('```')
    return ''
  }

  function release(isEnd: boolean): string {
    let shown = ''
    for (;;) {
      if (expectsFence) {
        const fence = CLOSING_FENCE.exec(held)
        if (fence !== null) held = held.slice(fence[0].length)
        else if (!isEnd && /^\s*`{0,2}$/.test(held)) return shown
        expectsFence = false
      }
      const start = markerAt(held)
      shown += held.slice(0, start)
      held = held.slice(start)
      if (held === '') return shown
      const opening = OPENING.exec(held)![0]
      const isOpen = opening.length === held.length || MARKERS.some((mark) => mark.startsWith(held))
      if (held[opening.length] !== '{') {
        if (isOpen && !isEnd) return shown
        // A fence around something else, or the word TOOL in prose.
        const step = Math.max(opening.length, 1)
        shown += held.slice(0, step)
        held = held.slice(step)
        continue
      }
      const scan = braceScanner()
      const end = scan(held.slice(opening.length))
      if (end !== -1) {
        shown += judge(opening, opening.length + end)
        continue
      }
      if (!isEnd) {
        open = { opening, scan }
        return shown
      }
      shown += held
      held = ''
      return shown
    }
  }

  return {
    push(delta) {
      const before = held.length
      held += delta
      if (open === null) return release(false)
      const { opening, scan } = open
      const end = scan(delta)
      if (end === -1) return ''
      open = null
      return judge(opening, before + end) + release(false)
    },
    end() {
      open = null
      return release(true)
    },
  }
}

/** Where the first marker stands, or the beginning of one that the text may not have finished. */
function markerAt(text: string): number {
  let first = text.length
  for (const mark of MARKERS) {
    const whole = text.indexOf(mark)
    if (whole !== -1) first = Math.min(first, whole)
    for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
      if (text.endsWith(mark.slice(0, length))) first = Math.min(first, text.length - length)
    }
  }
  return first
}
