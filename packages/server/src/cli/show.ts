import type { Entry } from '@clewline/core'
import { EMPTY_VIEW, type View } from '@clewline/core/view'
import { writeJson, type Io } from './io.ts'
import { plainShow } from './plain-show.ts'
import { treeShow } from './tree-show.ts'

/** How a stream of envelopes reaches a person or a program. */
export interface Show {
  push(entry: Entry): void | Promise<void>
  /** The last word, when nothing more comes. */
  end(): void | Promise<void>
  /** What it shows. Empty for programs: they fold for themselves. */
  view(): View
  /** Frees the terminal for a question; the next `push` takes it again. */
  pause?(): void
}

export interface ShowOptions {
  readonly isJson: boolean
  /** Only the answer, no activity. */
  readonly isQuiet: boolean
  /** Also what each model call was asked, as lines: a tree has no room for it. Default false. */
  readonly hasInputs?: boolean
  /** Where activity goes when there is no terminal to draw on: with an answer to print it is standard error. */
  readonly activity: 'stdout' | 'stderr'
}

/** JSON when asked for, a living tree on a terminal, plain lines otherwise. */
export function createShow(options: ShowOptions, io: Io): Show {
  if (options.isJson) return jsonShow(io)
  const { isQuiet, hasInputs } = options
  const isLive = io.stdout.isTTY === true && io.env['TERM'] !== 'dumb' && !isQuiet && hasInputs !== true
  return isLive ? treeShow(io) : plainShow(options, io)
}

function jsonShow(io: Io): Show {
  return {
    push: ({ envelope }) => writeJson(io.stdout, envelope),
    end() {},
    view: () => EMPTY_VIEW,
  }
}
