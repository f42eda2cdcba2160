import { createFold } from '@clewline/core/view'
import { answerOf } from './answer.ts'
import type { Io } from './io.ts'
import type { Show } from './show.ts'
import { render, type Size } from './tree/render.ts'
import { createScreen } from './tree/screen.ts'
import { createStyle, hasColours } from './tree/style.ts'
import { clean } from './tree/text.ts'

const FRAME_MS = 80

/** A tree that is drawn again as it changes, and at the end a last time with all calls, the answer below. */
export function treeShow(io: Io): Show {
  const fold = createFold()
  const screen = createScreen(io.stdout)
  const style = createStyle(hasColours(io.stdout, io.env))
  let frame = 0

  // Seconds of the recording or of the server's clock, carried on from its last word by the clock here.
  let heard = { ts: 0, at: 0 }

  const size = (): Size => ({
    columns: Math.max((io.stdout.columns ?? 80) - 1, 20),
    rows: Math.max((io.stdout.rows ?? 24) - 1, 5),
    now: heard.ts + (performance.now() - heard.at) / 1000,
    frame,
    style,
  })
  const draw = (): void => {
    frame += 1
    screen.draw(render(fold.snapshot(), size()))
  }
  let timer: NodeJS.Timeout | undefined
  const pause = (): void => {
    clearInterval(timer)
    timer = undefined
    screen.clear()
  }

  return {
    push(entry) {
      fold.apply(entry)
      heard = { ts: entry.envelope.ts, at: performance.now() }
      timer ??= setInterval(draw, FRAME_MS)
    },
    pause,
    end() {
      pause()
      const lines = render(fold.snapshot(), { ...size(), rows: Infinity, isBrief: true })
      io.stdout.write(`${lines.join('\n')}\n`)
      const answer = answerOf(fold.snapshot())
      if (answer !== '') io.stdout.write(`\n${clean(answer)}\n`)
    },
    view: () => fold.snapshot(),
  }
}
