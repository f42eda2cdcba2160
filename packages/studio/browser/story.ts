import { setTimeout as sleep } from 'node:timers/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '@clewline/core'
import type { CallPath, RunContext, RunOutcome, RunRequest, Source } from '@clewline/core/source'

/** What a scripted agent can do, in words that read like its script. */
export interface Teller {
  readonly context: RunContext
  readonly request: RunRequest
  readonly agent: string
  /** Opens the run's root call. */
  begin(): Promise<void>
  /** A whole model call: `pieces` stream with `pace` ms between them. */
  says(
    path: CallPath,
    pieces: Iterable<string>,
    options?: { agent?: string; pace?: number; channel?: 'text' | 'reasoning' },
  ): Promise<void>
  startTool(
    path: CallPath,
    name: string,
    args: Json,
    options?: { agent?: string; kind?: 'tool' | 'subagent' },
  ): Promise<void>
  endTool(
    path: CallPath,
    name: string,
    result: Json,
    options?: { agent?: string; status?: 'ok' | 'pending_frontend' },
  ): Promise<void>
  finish(text: string): Promise<RunOutcome>
}

/** A source whose run is a script: the server, its log and its streams are real, only the agent is made up. */
export function story(name: string, tell: (teller: Teller) => Promise<RunOutcome>): Source {
  return {
    name,
    describe: () => ({ name, description: `Scripted: ${name}`, scripted: true }),
    run: (request, context) => tell(tellerOf(name, request, context)),
  }
}

/** Waits until the test opens the gate (`TestServer.open`), so that it finds the story in the middle however slow it is. */
export async function gate(name: string, signal: AbortSignal): Promise<void> {
  const file = join(process.env['GATES'] ?? '', name)
  while (!signal.aborted && !existsSync(file)) await sleep(20)
}

function tellerOf(name: string, request: RunRequest, context: RunContext): Teller {
  const emit: RunContext['emit'] = (draft) => context.emit(draft)
  return {
    context,
    request,
    agent: name,
    async begin() {
      const input = request.kind === 'input' ? request.input : null
      await emit({
        type: 'tool_start',
        path: [],
        agent: name,
        payload: { tool_name: name, kind: 'graph', input },
      })
    },
    async says(path, pieces, { agent = name, pace = 0, channel = 'text' } = {}) {
      await emit({ type: 'llm_start', path, agent, payload: { model: 'scripted-offline', params: {} } })
      let text = ''
      let count = 0
      for (const piece of pieces) {
        if (context.signal.aborted) return
        text += piece
        count += 1
        await emit({ type: 'llm_token', path, agent, payload: { text: piece, channel } })
        if (pace > 0) await sleep(pace)
      }
      const message = { id: path.join('-'), text: channel === 'text' ? text : '', tool_calls: [] }
      const usage = { input_tokens: 900, output_tokens: count, total_tokens: 900 + count }
      await emit({ type: 'llm_end', path, agent, payload: { usage, finish_reason: 'stop', message } })
    },
    async startTool(path, tool_name, args, { agent = name, kind = 'tool' } = {}) {
      const meta = { tool_call_id: path.at(-1) ?? '' }
      await emit({ type: 'tool_start', path, agent, payload: { tool_name, kind, args, meta } })
    },
    async endTool(path, tool_name, result, { agent = name, status = 'ok' } = {}) {
      await emit({ type: 'tool_end', path, agent, payload: { tool_name, result, status } })
    },
    async finish(text) {
      const result = { messages: [{ id: 'final', role: 'assistant', text }], files: {}, usage: {} } as const
      await emit({
        type: 'tool_end',
        path: [],
        agent: name,
        payload: { tool_name: name, result, status: 'ok' },
      })
      return { status: 'success' }
    },
  }
}
