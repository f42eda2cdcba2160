import { coerce, isRecord } from '@clewline/core'
import { messageOf } from '@clewline/core/message'
import type { Draft } from '@clewline/core/source'
import { beginRun } from '../observe/begin-call.ts'
import { graphAround, scopeFor } from '../observe/calls.ts'
import { emitCheckpoint } from '../observe/checkpoint-calls.ts'
import { emitDelta, emitWarning, emitWritten } from '../observe/emit-update.ts'
import { fieldsOf } from '../observe/model-end.ts'
import { gatherMessage } from './gather-message.ts'
import { startChain } from './play-chain.ts'
import { asThrown, raise, raisedIn, resume } from './play-interrupt.ts'
import type { Observers, PlayState } from './play-state.ts'
import type { Recorded, RecordedOf } from './recorded.ts'

/** Plays one recorded event through the observers of a live run, so that both become the same envelopes. */
export async function play(
  state: PlayState,
  event: Recorded,
): Promise<readonly [PlayState, readonly Draft[]]> {
  const begun = await begin(state, event.type === 'chain_start' ? event.input : null)
  const next = await step(begun, event)
  return [next, next.outbox.splice(0)]
}

/** Begins the run at the first event, whatever that is. */
export async function begin(state: PlayState, input: unknown): Promise<PlayState> {
  if (state.hasBegun) return state
  const { options, observers } = state
  await beginRun(observers.run, coerce(options.input ?? input), { checkpointId: '', node: '' })
  return { ...state, hasBegun: true }
}

async function step(state: PlayState, event: Recorded): Promise<PlayState> {
  const { run, graphs, tools, models, answers } = state.observers
  switch (event.type) {
    case 'chain_start':
      return startChain(state, event)
    case 'chain_end': {
      await graphs.end(event.id, event.output)
      return decided(event.id === state.rootId ? { ...state, hasEnded: true } : state, event.id)
    }
    case 'chain_error': {
      const { id, error } = event
      await graphs.fail(id, error)
      return decided(id === state.rootId ? { ...state, failure: { error } } : state, id)
    }
    case 'model_start': {
      const { id, parentId, name, metadata, messages } = event
      answers.set(id, gatherMessage(id))
      const asked = { messages, params: {}, options: {} }
      await models.start({ id, parentId, name, metadata, prompt: {}, asked })
      return state
    }
    case 'model_token':
      answers.get(event.id)?.add(event.message)
      await models.stream(event.id, fieldsOf(event.message))
      return state
    case 'model_end': {
      const isWhole = messageOf(event.message) !== null
      await models.end(event.id, takeAnswer(state.observers, event), { usage: event.usage, isWhole })
      return state
    }
    case 'model_error':
      await models.fail(event.id, event.error)
      return state
    case 'tool_start': {
      const { id, parentId, name } = event
      const input = typeof event.input === 'string' ? event.input : JSON.stringify(event.input ?? {})
      const toolCallId = event.toolCallId ?? askedFor(state.observers, parentId, name, input)
      await tools.start({ id, parentId, name, input, toolCallId })
      return state
    }
    case 'tool_event':
      await tools.update(event.id, event.data)
      return state
    case 'tool_end':
      await tools.end(event.id, event.output)
      return state
    case 'tool_error': {
      // Interrupts come as errors of the tools around them: the first that has one is the one that asked.
      const asked = raise(state, event.id, raisedIn(event.error))
      await tools.fail(event.id, asThrown(event.error))
      return asked
    }
    case 'interrupt':
      return raise(state, event.id, event.interrupts)
    case 'resume':
      return resume(state)
    case 'state':
      return save(state, event)
    case 'custom':
      await emitWritten(run, scopeFor(run.calls, event.id), event.data)
      return state
    case 'cached': {
      const { path, agent, name } = scopeFor(run.calls, event.id).call
      const payload = { tool_name: name, data: { cached: true, update: coerce(event.data) } }
      await run.emit({ type: 'tool_update', path, agent, origin: 'replay', payload })
      return state
    }
    case 'warning': {
      const { code, message } = event
      if (state.warned.has(code)) return state
      await emitWarning(run, run.calls.root, { code, message })
      return { ...state, warned: new Set([...state.warned, code]) }
    }
    case 'failure':
      return { ...state, failure: { error: event.error } }
  }
}

/** A chain that ends without having run a node was no graph. */
function decided(state: PlayState, id: string): PlayState {
  if (!state.undecided.has(id)) return state
  return { ...state, undecided: new Map([...state.undecided].filter(([one]) => one !== id)) }
}

/** The answer of a model, put together from its pieces where the stream does not give it whole. */
function takeAnswer({ answers }: Observers, { id, message }: RecordedOf<'model_end'>): unknown {
  const pieces = answers.get(id)?.whole() ?? {}
  answers.delete(id)
  return messageOf(message) === null ? { ...pieces, ...fieldsOf(message) } : message
}

/** The tool-call id that a stream leaves out, from the model's last answer. */
function askedFor(
  { run }: Observers,
  parentId: string | undefined,
  name: string,
  input: string,
): string | undefined {
  const graph = graphAround(scopeFor(run.calls, parentId).call)
  const fits = (graph?.toolCalls ?? []).filter(
    (asked) => asked.name === name && graph?.begunTools.has(asked.id) !== true,
  )
  return (fits.find((asked) => JSON.stringify(asked.args) === input) ?? fits[0])?.id
}

async function save(state: PlayState, event: RecordedOf<'state'>): Promise<PlayState> {
  const { run } = state.observers
  const { checkpointId, node, values, step: at } = event
  const scope = scopeFor(run.calls, event.id)
  const { call } = scope
  if (isRecord(values)) {
    const changed = new Set(Object.keys(values))
    if (event.isStart ?? !run.mirror.isSeeded(scope)) run.mirror.seed(values, scope)
    else await emitDelta(run, call, run.mirror.diffState({ scope, step: at, values, changed }))
    if (scope === run.calls.rootScope) run.facts.output = values
  }
  if (checkpointId === undefined || call.graph === null || !call.isOpen) return state
  await emitCheckpoint(run, call, { checkpointId, node, values })
  return call === run.calls.root ? { ...state, checkpointId } : state
}
