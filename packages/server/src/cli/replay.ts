import type { Entry } from '@clewline/core'
import { parseJsonl } from '@clewline/core/read'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT, usageError, type Command, type Given } from './command.ts'
import { openText, write, writeJson, type Io } from './io.ts'
import { createPace, LONGEST_PAUSE_MS } from './pace.ts'
import { createShow } from './show.ts'

/** `clewline replay FILE` */
export const replay: Command = {
  name: 'replay',
  summary: 'Show a recorded stream again, at its own pace or faster.',
  args: 'FILE',
  options: {
    speed: { value: 'N', about: 'N times as fast as it was recorded (default 1); max does not wait at all.' },
    to: { value: 'FORM', about: 'agui prints AG-UI events, one JSON object per line.' },
    json: { about: 'Print the envelopes as JSON lines, marked as replay.' },
  },
  details: `FILE is JSONL, one envelope per line; - is standard input. Pauses are cut at ${LONGEST_PAUSE_MS / 1000} seconds. A line that is
no envelope is reported on standard error and left out; the exit code is then 1.`,
  examples: [
    'clewline replay run.jsonl --speed 4',
    'clewline replay run.jsonl --speed max --to agui > events.jsonl',
    'clewline export my-thread | clewline replay -',
  ],
  async run(given, io) {
    const [file = '-'] = given.positionals
    const pace = createPace(speedOf(given))
    const out = await outlet(given, io)
    let position = 0
    let problems = 0
    for await (const read of parseJsonl(await openText(file, io))) {
      if (io.signal.aborted) break
      if ('problem' in read) {
        problems += 1
        await write(io.stderr, `clewline: line ${read.line}: ${read.problem}\n`)
        continue
      }
      const pause = pace(read.envelope.ts, performance.now())
      if (pause >= 1) await sleep(pause, undefined, { signal: io.signal }).catch(() => undefined)
      position += 1
      await out.push({ position, envelope: { ...read.envelope, origin: 'replay' } })
    }
    await out.end()
    if (io.signal.aborted) return EXIT.stopped
    return problems === 0 ? EXIT.done : EXIT.failed
  },
}

function speedOf(given: Given): number {
  if (given.text('speed') === 'max') return Infinity
  const speed = given.number('speed') ?? 1
  if (speed === 0) throw usageError('--speed 0 would never end.', 'Give a number above 0, or max.')
  return speed
}

interface Outlet {
  push(entry: Entry): void | Promise<void>
  end(): void | Promise<void>
}

async function outlet(given: Given, io: Io): Promise<Outlet> {
  const to = given.text('to')
  if (to === undefined)
    return createShow({ isJson: given.flag('json'), isQuiet: false, activity: 'stdout' }, io)
  if (to !== 'agui') throw usageError(`--to ${to} is not known.`, 'The only other form is agui.')
  return aguiOutlet(io)
}

async function aguiOutlet(io: Io): Promise<Outlet> {
  const { createTranslator } = await import('@clewline/agui')
  const translator = createTranslator({ thread_id: 'replay', version: '1.0.0' })
  const print = async (events: readonly unknown[]): Promise<void> => {
    for (const event of events) await writeJson(io.stdout, event)
  }
  return {
    push: ({ envelope }) => print(translator.push(envelope)),
    // A recording that stops with open calls is of a run that waits; one that is over has said so.
    end: () => print(translator.end({ status: 'interrupted' })),
  }
}
