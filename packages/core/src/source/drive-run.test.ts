import { describe, expect, test } from 'vitest'
import { verify } from '../check/verify.ts'
import type { Envelope } from '../envelope.ts'
import { type DriveOptions, driveRun } from './drive-run.ts'
import type { Draft } from './draft.ts'
import type { RunContext, RunOutcome, Source } from './source.ts'
import { streamRun } from './stream-run.ts'

const agent = 'a'
const start: Draft = {
  type: 'tool_start',
  path: [],
  agent,
  payload: { tool_name: agent, kind: 'graph', input: {} },
}
const ask: Draft = { type: 'llm_start', path: ['llm:0'], agent, payload: { model: 'm', params: {} } }
const warn: Draft = { type: 'warning', path: [], agent, payload: { code: 'late', message: '' } }

function source(run: (context: RunContext) => Promise<RunOutcome>): Source {
  return { name: agent, describe: () => ({ name: agent }), run: (_request, context) => run(context) }
}

async function drive(run: (context: RunContext) => Promise<RunOutcome>, more: Partial<DriveOptions> = {}) {
  const envelopes: Envelope[] = []
  const write = (some: readonly Envelope[]): void => void envelopes.push(...some)
  const request = { kind: 'input', input: {} } as const
  const ids = { thread_id: 't', run_id: 'r', trace_id: 'trace' }
  const outcome = await driveRun(source(run), request, { ...ids, write, ...more })
  return { outcome, envelopes }
}

describe('driveRun', () => {
  test.each<[RunOutcome, string[]]>([
    [{ status: 'success' }, ['llm_end', 'tool_end']],
    [{ status: 'cancelled' }, ['llm_end', 'tool_end']],
    [{ status: 'error', error: { name: 'E', message: 'no' } }, ['error', 'error']],
    [{ status: 'interrupted', interrupts: [] }, []],
    [{ status: 'drained' }, []],
  ])('a run that ends as %o with calls left open closes them by %o', async (ended, closing) => {
    const { outcome, envelopes } = await drive(async (context) => {
      await context.emit(start)
      await context.emit(ask)
      return ended
    })
    expect(outcome).toBe(ended)
    expect(envelopes.map(({ type }) => type)).toEqual(['tool_start', 'llm_start', ...closing])
    if (closing.length > 0) expect(verify(envelopes)).toEqual([])
  })

  test('drops what comes after the end', async () => {
    let late = (): void => {}
    const { envelopes } = await drive(async (context) => {
      await context.emit(start)
      late = () => void context.emit(warn)
      return { status: 'drained' }
    })
    late()
    expect(envelopes).toHaveLength(1)
  })

  test('goes on with the calls that an earlier run left open', async () => {
    const before = await drive(async (context) => {
      await context.emit(start)
      return { status: 'drained' }
    })
    const after = await drive(
      async (context) => {
        expect([context.isOpen([]), context.isOpen(['llm:0'])]).toEqual([true, false])
        return { status: 'cancelled' }
      },
      { history: before.envelopes },
    )
    expect(verify([...before.envelopes, ...after.envelopes])).toEqual([])
  })

  test('makes the source wait for a slow writer, and not for a fast one', async () => {
    let open = (): void => {}
    const written = new Promise<void>((resolve) => (open = resolve))
    const waits: unknown[] = []
    const run = drive(
      async (context) => {
        waits.push(context.emit(start), context.emit(warn))
        return { status: 'drained' }
      },
      { write: ([envelope]) => (envelope?.type === 'warning' ? written : undefined) },
    )
    expect(waits).toEqual([undefined, written])
    open()
    await run
  })

  test.each(['source', 'writer'])('rejects when its %s fails, and closes nothing', async (what) => {
    const envelopes: Envelope[] = []
    const failed = drive(
      async (context) => {
        await context.emit(start)
        await context.emit(warn)
        throw new Error('source')
      },
      {
        write(some) {
          if (what === 'writer' && envelopes.length === 1) throw new Error('writer')
          envelopes.push(...some)
        },
      },
    )
    await expect(failed).rejects.toThrow(what)
    expect(envelopes.at(-1)?.type).toBe(what === 'writer' ? 'tool_start' : 'warning')
  })

  test.each<[string, (context: RunContext) => Promise<unknown>]>([
    [
      'does not wait for',
      (context) => Promise.resolve([start, warn, ask].map((draft) => context.emit(draft))),
    ],
    [
      'passes over',
      async (context) => {
        for (const draft of [start, warn, ask]) await Promise.resolve(context.emit(draft)).catch(() => {})
      },
    ],
  ])('rejects when a write fails that its source %s, and writes nothing behind the gap', async (_, say) => {
    const written: string[] = []
    const run = drive(
      async (context) => {
        await say(context)
        return { status: 'success' }
      },
      {
        async write([envelope]) {
          await Promise.resolve()
          if (envelope?.type === 'warning') throw new Error('disk full')
          written.push(envelope?.type ?? '')
        },
      },
    )
    await expect(run).rejects.toThrow('disk full')
    expect(written).not.toContain('tool_end')
  })

  test('drops what comes after a source that threw before it returned a promise', async () => {
    let late = (): void => {}
    const envelopes: Envelope[] = []
    const run = drive(
      (context) => {
        late = () => void context.emit(start)
        throw new Error('at once')
      },
      { write: (some) => void envelopes.push(...some) },
    )
    await expect(run).rejects.toThrow('at once')
    late()
    expect(envelopes).toEqual([])
  })
})

test('streamRun stops the run of a reader that leaves while the run waits for it', async () => {
  let wasCancelled = false
  const endless = source(async (context) => {
    await context.emit(start)
    while (!context.signal.aborted) await context.emit(warn)
    wasCancelled = true
    return { status: 'cancelled' }
  })
  let read = 0
  for await (const _ of streamRun(endless, { input: {} })) if (++read === 100) break
  expect(wasCancelled).toBe(true)
})
