import type { Completion, Json, JsonObject, Message, Usage } from '@skein/core'
import { callId } from '@skein/core/source'
import type { CallPath, Draft, RunContext } from '@skein/core/source'
import type { BackendCall, BackendEvent } from './backend.ts'

/** Says in drafts what a backend says in events: where calls stand, when they start, that each of them ends. */
export interface RunWriter {
  /** Writes one event. Handing in `done` or `error` closes what is open below the root. */
  write(event: BackendEvent): Promise<void>
  /** The root call begins, or goes on in another process. */
  begin(input: Json, isResumed: boolean): Promise<void>
  state(delta: JsonObject): Promise<void>
  warn(code: string, message: string): Promise<void>
  checkpoint(id: string, digest: string): Promise<void>
  /** A message that nobody had to think of. */
  say(text: string): Promise<string>
  end(status: 'ok' | 'cancelled'): Promise<void>
  fail(failure: Failure): Promise<void>
  /** The id by which readers know the newest answer of the model. */
  readonly messageId: string
  /** The id of the message with a tool's result. */
  resultId(toolCallId: string): string
  /** Model calls so far. */
  readonly turns: number
  readonly hasSpoken: boolean
  /** What this run has shown: the main agent's answers and the results of its tools. */
  readonly shown: readonly Message[]
}

export interface Failure {
  readonly name: string
  readonly message: string
  /** The code that clients see. */
  readonly class: string
}

interface Call {
  readonly path: CallPath
  readonly name: string
  readonly agent: string
  readonly args: Json
}

const ROOT: CallPath = []

export function runWriter(options: {
  readonly name: string
  readonly context: RunContext
  readonly input: Json
  /** Model calls that this trace made before this run. */
  readonly firstTurn: number
}): RunWriter {
  const { name, context, firstTurn } = options
  const steps: { readonly path: CallPath; readonly name: string }[] = []
  const tools = new Map<string, Call>()
  /** Calls of the model call that is going on, by index. */
  const streaming = new Map<number, { id: string; name: string }>()
  let stepCount = 0
  let turns = firstTurn
  let base = firstTurn
  let open: { path: CallPath; agent: string; reasoning: string } | undefined
  let usage: Usage = {}
  let messageId = ''
  let hasSpoken = false
  const shown: Message[] = []

  const top = (): CallPath => steps.at(-1)?.path ?? ROOT
  const agentName = (): string => steps.at(-1)?.name ?? name
  const idOf = (path: CallPath): string => callId(context.trace_id, path)
  const emit = async (draft: Draft): Promise<void> => await context.emit(draft)

  async function startTool(call: Call, id: string): Promise<void> {
    await emit({
      type: 'tool_start',
      path: call.path,
      agent: call.agent,
      payload: { tool_name: call.name, kind: 'tool', args: call.args, meta: { tool_call_id: id } },
    })
  }

  async function endModel(event: Extract<BackendEvent, { ev: 'llm_end' }>): Promise<void> {
    if (open === undefined) return
    const { path, agent, reasoning } = open
    open = undefined
    // The client never hears of a call that the model made up: nobody could answer it.
    const asked = event.tool_calls.filter((call) => call.place !== 'unknown')
    const tool_calls = asked.map(({ id, name, args }) => ({ id, name, args }))
    await emit({
      type: 'llm_end',
      path,
      agent,
      payload: {
        usage: event.usage,
        finish_reason: event.finish_reason,
        message: {
          id: messageId,
          text: event.content,
          tool_calls,
          ...(reasoning === '' ? {} : { reasoning }),
        },
      },
    })
    usage = addUsage(usage, event.usage)
    if (steps.length === 0 && (event.content !== '' || tool_calls.length > 0)) {
      const calls = tool_calls.length === 0 ? {} : { tool_calls }
      const thought = reasoning === '' ? {} : { reasoning }
      shown.push({ id: messageId, role: 'assistant', text: event.content, ...calls, ...thought })
    }
    for (const call of event.tool_calls) await announce(call, agent)
  }

  async function announce(call: BackendCall, agent: string): Promise<void> {
    if (call.place === 'unknown') {
      await warn(
        'unknown-tool',
        `The model asked for "${call.name}", which is not enabled: it was told so.`,
        {
          tool_name: call.name,
          args: call.args,
        },
      )
      return
    }
    const path = [...top(), call.id]
    const known = { path, name: call.name, agent, args: call.args }
    tools.set(call.id, known)
    if (call.place !== 'frontend') return
    await startTool(known, call.id)
    await emit({
      type: 'tool_end',
      path,
      agent,
      payload: { tool_name: call.name, result: null, status: 'pending_frontend' },
    })
  }

  async function warn(code: string, message: string, facts: JsonObject = {}): Promise<void> {
    await emit({ type: 'warning', path: ROOT, agent: name, payload: { ...facts, code, message } })
  }

  async function endOpen(reason: string, failure?: Failure): Promise<void> {
    if (open !== undefined && failure !== undefined) {
      const { path, agent } = open
      open = undefined
      await emit({ type: 'error', path, agent, payload: { ...failure, stack: '' } })
    }
    if (open !== undefined) {
      const { path, agent } = open
      open = undefined
      const message = { id: messageId, text: '', tool_calls: [] }
      await emit({ type: 'llm_end', path, agent, payload: { usage: {}, finish_reason: reason, message } })
    }
    for (const call of tools.values()) {
      if (!context.isOpen(call.path)) continue
      await emit({
        type: 'tool_end',
        path: call.path,
        agent: call.agent,
        payload: { tool_name: call.name, result: null, status: 'cancelled' },
      })
    }
    while (steps.length > 0) await endStep('', 'cancelled')
  }

  async function endStep(result: string, status: 'ok' | 'cancelled'): Promise<void> {
    const step = steps.pop()
    if (step === undefined) return
    await emit({
      type: 'tool_end',
      path: step.path,
      agent: step.name,
      payload: { tool_name: step.name, result: completion([answer(step.path, result)], {}), status },
    })
  }

  function answer(path: CallPath, text: string): Message {
    return { id: idOf(path), role: 'assistant', text }
  }

  return {
    warn,
    get messageId() {
      return messageId
    },
    get turns() {
      return turns
    },
    get hasSpoken() {
      return hasSpoken
    },
    shown,
    resultId: (id) => idOf(tools.get(id)?.path ?? [id]),

    async begin(input, isResumed) {
      if (isResumed) {
        const payload = { checkpoint_id: context.run_id, node: name }
        await emit({ type: 'subgraph_resume', path: ROOT, agent: name, payload })
        return
      }
      await emit({
        type: 'tool_start',
        path: ROOT,
        agent: name,
        payload: { tool_name: name, kind: 'graph', input },
      })
    },

    async state(delta) {
      const payload = { tool_name: name, delta: { state: delta } }
      await emit({ type: 'tool_update', path: ROOT, agent: name, payload })
    },

    async checkpoint(id, digest) {
      const payload = { checkpoint_id: id, node: name, state_digest: digest }
      await emit({ type: 'subgraph_checkpoint', path: ROOT, agent: name, payload })
    },

    async say(text) {
      const path = [`llm:${turns++}`]
      base = turns
      messageId = idOf(path)
      const message = { id: messageId, text, tool_calls: [] }
      await emit({
        type: 'llm_start',
        path,
        agent: name,
        payload: { model: 'responseFromResult', params: {} },
      })
      if (text !== '') await emit({ type: 'llm_token', path, agent: name, payload: { text } })
      await emit({
        type: 'llm_end',
        path,
        agent: name,
        payload: { usage: {}, finish_reason: 'stop', message },
      })
      hasSpoken = true
      shown.push({ id: messageId, role: 'assistant', text })
      return messageId
    },

    async end(status) {
      const result = completion(shown, usage)
      await emit({ type: 'tool_end', path: ROOT, agent: name, payload: { tool_name: name, result, status } })
    },

    async fail(failure) {
      await endOpen('error', failure)
      await emit({ type: 'error', path: ROOT, agent: name, payload: { ...failure, stack: '' } })
    },

    async write(event) {
      switch (event.ev) {
        case 'llm_start': {
          const path = [...top(), `llm:${base + event.turn}`]
          turns = base + event.turn + 1
          const agent = steps.length === 0 ? name : event.agent
          open = { path, agent, reasoning: '' }
          messageId = idOf(path)
          streaming.clear()
          await emit({ type: 'llm_start', path, agent, payload: { model: event.model, params: {} } })
          return
        }
        case 'text':
        case 'reasoning': {
          if (open === undefined || event.delta === '') return
          if (event.ev === 'reasoning') open.reasoning += event.delta
          else hasSpoken = true
          const channel = event.ev === 'reasoning' ? { channel: 'reasoning' as const } : {}
          const payload = { text: event.delta, ...channel }
          await emit({ type: 'llm_token', path: open.path, agent: open.agent, payload })
          return
        }
        case 'tool_name':
          if (event.place !== 'unknown') streaming.set(event.index, { id: event.id, name: event.name })
          return
        case 'tool_args': {
          const call = streaming.get(event.index)
          if (open === undefined || call === undefined || event.delta === '') return
          const tool_call = { ...call, index: event.index }
          const payload = { text: event.delta, channel: 'tool_args' as const, tool_call }
          await emit({ type: 'llm_token', path: open.path, agent: open.agent, payload })
          return
        }
        case 'llm_end':
          await endModel(event)
          return
        case 'tool_start': {
          const call = tools.get(event.id)
          if (call !== undefined) await startTool(call, event.id)
          return
        }
        case 'tool_update': {
          const call = tools.get(event.id)
          if (call === undefined || (event.text === undefined && event.progress === undefined)) return
          const { text, progress } = event
          const said = {
            ...(text === undefined ? {} : { text }),
            ...(progress === undefined ? {} : { progress }),
          }
          const payload = { tool_name: call.name, ...said }
          await emit({ type: 'tool_update', path: call.path, agent: call.agent, payload })
          return
        }
        case 'tool_result': {
          const call = tools.get(event.id)
          if (call === undefined) return
          const { path, agent } = call
          const status = event.error === null ? 'success' : 'error'
          if (path.length === 1)
            shown.push({ id: idOf(path), role: 'tool', text: event.content, tool_call_id: event.id, status })
          if (event.error !== null) {
            // The model reads `content` as the result and goes on; for the log the call has failed.
            const payload = { name: call.name, message: event.content, stack: '', class: 'TOOL_ERROR' }
            await emit({ type: 'error', path, agent, payload })
            return
          }
          const payload = { tool_name: call.name, result: event.content, status: 'ok' as const }
          await emit({ type: 'tool_end', path, agent, payload })
          return
        }
        case 'step': {
          if (event.phase === 'end') {
            await endStep(event.result ?? '', 'ok')
            return
          }
          const path = [...top(), `task:${stepCount++}:${event.name}`]
          const parent = agentName()
          steps.push({ path, name: event.name })
          const payload = { tool_name: event.name, kind: 'subagent' as const, input: { from: parent } }
          await emit({ type: 'tool_start', path, agent: event.name, payload })
          return
        }
        case 'warning':
          await warn(event.code, event.message)
          return
        case 'done':
          base = turns
          await endOpen(event.reason)
          return
        case 'message':
        case 'error':
          return
      }
    },
  }
}

function completion(messages: readonly Message[], usage: Usage): Completion {
  return { messages, files: {}, usage }
}

function addUsage(a: Usage, b: Usage): Usage {
  const sum: Record<string, number> = {}
  for (const [key, value] of [...Object.entries(a), ...Object.entries(b)]) {
    if (typeof value === 'number') sum[key] = (sum[key] ?? 0) + value
  }
  return sum
}
