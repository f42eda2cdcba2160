import { createFold } from '@skein/core/view'
import { answerOf } from './answer.ts'
import type { Io } from './io.ts'
import type { Show } from './show.ts'
import { render } from './tree/render.ts'
import { createScreen } from './tree/screen.ts'
import { createStyle, hasColours } from './tree/style.ts'
import { clean } from './tree/text.ts'

const FRAME_MS = 80

/** A tree that is drawn again as it changes, and at the end a last time in full, with the answer below. */
export function treeShow(io: Io): Show {
  const fold = createFold()
  const screen = createScreen(io.stdout)
  const style = createStyle(hasColours(io.stdout, io.env))
  let frame = 0

  const lines = (rows: number): readonly string[] =>
    render(fold.snapshot(), {
      columns: Math.max((io.stdout.columns ?? 80) - 1, 20),
      rows,
      now: Date.now() / 1000,
      frame,
      style,
    })
  const draw = (): void => {
    frame += 1
    screen.draw(lines(Math.max((io.stdout.rows ?? 24) - 1, 5)))
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
      timer ??= setInterval(draw, FRAME_MS)
    },
    pause,
    end() {
      pause()
      io.stdout.write(`${lines(Infinity).join('\n')}\n`)
      const answer = answerOf(fold.snapshot())
      if (answer !== '') io.stdout.write(`\n${clean(answer)}\n`)
    },
    view: () => fold.snapshot(),
  }
}
