import type { BackendEnding, BackendRequest } from './backend.ts'
import { createHooks } from './hooks.ts'
import type { Ask } from './plan-run.ts'
import { runMemory } from './run-memory.ts'
import type { ThreadRun } from './thread-run.ts'
import type { RunWriter } from './writer/run-writer.ts'

/**
 * Runs the backend to its end: what it says is written, observed by the hooks and remembered. `drained` when the
 * process is to stop: the run is saved between two model calls, and another process can go on with it.
 */
export async function followRun(
  run: ThreadRun,
  plan: Ask,
  writer: RunWriter,
): Promise<BackendEnding | 'drained'> {
  const { backend, config, context } = run
  const hooks = createHooks({ config, input: plan.input, writer, state: plan.state })
  const memory = runMemory(run, plan, writer)
  const drain = new AbortController()
  const signal = AbortSignal.any([context.signal, drain.signal])
  const firstTurn = writer.turns
  const maxTurns = config.maxTurns ?? 8

  async function ask(next: Pick<BackendRequest, 'messages' | 'input'>): Promise<BackendEnding> {
    const events = backend.run({
      ...next,
      thread: context.thread_id,
      run: context.run_id,
      tools: plan.input.tools,
      limits: {
        max_turns: Math.max(1, maxTurns - (writer.turns - firstTurn)),
        max_repeats: config.maxRepeats ?? 2,
      },
      return_after: toolsWithResponse(config),
      signal,
    })
    let ending: BackendEnding = NO_ENDING
    for await (const event of events) {
      if (event.ev === 'llm_start') {
        // A consistent point: between two model calls nothing is half done.
        if (context.drain.aborted && writer.turns > 0) {
          drain.abort()
          break
        }
        await memory.save(hooks.state, 'going on')
      }
      await writer.write(event)
      memory.note(event)
      await hooks.observe(event)
      if (event.ev === 'done' || event.ev === 'error') ending = event
    }
    return ending
  }

  let ending = await ask({ messages: plan.turn.history, input: plan.prompt })
  while (ending.ev === 'done' && ending.reason === 'returned' && !drain.signal.aborted) {
    const text = await hooks.response()
    if (text !== null) {
      memory.add({ role: 'assistant', content: text, id: await writer.say(text) })
      break
    }
    ending = await ask({ messages: memory.messages, input: { kind: 'continue' } })
  }
  await memory.save(hooks.state, drain.signal.aborted ? 'going on' : 'over')
  return drain.signal.aborted ? 'drained' : ending
}

const NO_ENDING: BackendEnding = {
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
