import type { Interrupt } from '@clewline/core'
import { TASK_TURNS, type BackendEnding, type BackendRequest, type Question } from './backend.ts'
import { digestOf } from './checkpoint-history.ts'
import { createHooks } from './hooks.ts'
import type { Ask } from './plan-run.ts'
import { runMemory } from './run-memory.ts'
import type { ThreadRun } from './thread-run.ts'
import type { RunWriter } from './writer/run-writer.ts'

/** How a followed run ended: the backend's ending, or a stop from which another process or an answer goes on. */
export type Followed =
  | { readonly type: 'ended'; readonly ending: Exclude<BackendEnding, { ev: 'question' }> }
  | { readonly type: 'drained' }
  | { readonly type: 'asked'; readonly question: Interrupt }
  /** The backend's process died, and the run can go on from its journal, `reached` entries long, or be given up. */
  | {
      readonly type: 'died'
      readonly ending: Extract<BackendEnding, { ev: 'error' }>
      readonly reached: number
      readonly giveUp: () => Promise<void>
    }

/**
 * Runs the backend to its end: what it says is written, observed by the hooks and remembered. Drained when the
 * process is to stop: the run is saved between two model calls, and another process can go on with it.
 */
export async function followRun(run: ThreadRun, plan: Ask, writer: RunWriter): Promise<Followed> {
  const { backend, config, context } = run
  const hooks = createHooks({ config, input: plan.input, writer, state: plan.state })
  const memory = runMemory(run, plan, writer)
  const drain = new AbortController()
  const signal = AbortSignal.any([context.signal, drain.signal])
  const firstTurn = writer.turns
  const maxTurns = config.maxTurns ?? backend.maxTurns ?? 8

  async function ask(next: Asking): Promise<BackendEnding> {
    const isReplay = next.journal.length > 0
    if (isReplay) writer.replay()
    const events = backend.run({
      ...next,
      thread: context.thread_id,
      run: context.run_id,
      tools: plan.input.tools,
      limits: {
        // A backend that replays counts the model calls of its journal, too.
        max_turns: isReplay ? maxTurns : Math.max(1, maxTurns - (writer.turns - firstTurn)),
        max_task_turns: config.maxTurns ?? TASK_TURNS,
        max_repeats: config.maxRepeats ?? 2,
      },
      return_after: toolsWithResponse(config),
      memory: run.slot.record.memory ?? null,
      signal,
    })
    let ending: BackendEnding = NO_ENDING
    for await (const event of events) {
      if (event.ev === 'live') await writer.goLive()
      else if (event.ev === 'llm_start' && !writer.isReplaying) {
        // A consistent point: between two model calls nothing is half done.
        if (context.drain.aborted && writer.turns > 0) {
          drain.abort()
          break
        }
        await memory.save(hooks.state, 'going on')
      }
      const isPast = writer.isReplaying
      await writer.write(event)
      if (!isPast) memory.note(event)
      await hooks.observe(event, isPast)
      if (event.ev === 'done' || event.ev === 'error' || event.ev === 'question') ending = event
    }
    return ending
  }

  const { journal, answer } = plan
  const begun = { messages: plan.turn.history, input: plan.prompt }
  let ending = await ask({ ...begun, journal, ...(answer !== undefined && { answer }) })
  while (ending.ev === 'done' && ending.reason === 'returned' && !drain.signal.aborted) {
    const text = await hooks.response()
    if (text !== null) {
      memory.add({ role: 'assistant', content: text, id: await writer.say(text) })
      break
    }
    // The hook had no words: the model finds them after all.
    ending =
      memory.journal.length > 0
        ? await ask({ ...begun, journal: memory.journal })
        : await ask({ messages: memory.messages, input: { kind: 'continue' }, journal: [] })
  }
  if (ending.ev === 'error' && ending.code === 'WORKER' && canGoOn(run)) {
    const giveUp = (): Promise<void> => memory.save(hooks.state, 'over')
    return { type: 'died', ending, reached: memory.journal.length, giveUp }
  }
  if (ending.ev === 'question') return { type: 'asked', question: await raise(ending.question) }
  await memory.save(hooks.state, drain.signal.aborted ? 'going on' : 'over')
  return drain.signal.aborted ? { type: 'drained' } : { type: 'ended', ending }

  async function raise(value: Question): Promise<Interrupt> {
    const question = writer.question(value, memory.journal.length)
    const checkpoint = await memory.saveQuestion(hooks.state, question)
    await writer.raise(question, value.agent, checkpoint ?? context.run_id, digestOf(run.slot.record))
    return question
  }
}

/** Whether this run has saved a journal to go on from, and is still wanted. */
function canGoOn({ slot, context }: ThreadRun): boolean {
  const { progress } = slot.record
  return progress?.trace_id === context.trace_id && progress.replay !== undefined && !context.signal.aborted
}

type Asking = Pick<BackendRequest, 'messages' | 'input' | 'journal' | 'answer'>

const NO_ENDING: Extract<BackendEnding, { ev: 'error' }> = {
  ev: 'error',
  code: 'INTERNAL',
  type: 'Error',
  message: 'The backend stopped without an ending.',
}

/** Tools whose results the caller words itself, instead of the model. */
function toolsWithResponse({ toolBehaviors = {} }: ThreadRun['config']): readonly string[] {
  return Object.entries(toolBehaviors)
    .filter(([, behavior]) => behavior.responseFromResult !== undefined)
    .map(([tool]) => tool)
}
