import type { Entry } from '@clewline/core'
import { createLedger, type CallPath, type Draft } from '@clewline/core/source'

export interface RecordingOptions {
  /** Parallel sub-agents. */
  readonly agents?: number
  /** Tokens that each sub-agent says in its report. */
  readonly tokens?: number
  /** `ask` ends at a question of the first sub-agent, `fail` with an error of the last, `running` in the middle. */
  readonly ending?: 'done' | 'ask' | 'fail' | 'running'
  readonly question?: string
  readonly trace?: string
}

const TOPICS = ['durable logs', 'resumable streams', 'call trees', 'sampling windows', 'checkpoint stores']
const WORDS =
  'The append-only log is the source of truth and every reader is a cursor over it so a crash loses nothing that was seen while **backpressure** reaches the `emit` call of the source and the _sampler_ joins tokens per call'.split(
    ' ',
  )

/** A research run as a source would tell it: made by the real ledger, with a clock of its own, so it never changes. */
export function recording(options: RecordingOptions = {}): readonly Entry[] {
  const { agents = 3, tokens = 60, ending = 'done' } = options
  const question = options.question ?? 'How do agent runtimes keep streams durable?'
  const entries: Entry[] = []
  let clock = 1_790_000_000_000
  const trace_id = options.trace ?? 'trace-recording'
  const ledger = createLedger({ trace_id, run_id: 'run-recording', now: () => clock })

  function emit(draft: Draft, ms = 12): void {
    clock += ms
    for (const envelope of ledger.stamp(draft)) entries.push({ position: entries.length + 1, envelope })
  }

  function* speak(path: CallPath, agent: string, words: Iterable<string>, usage: number): Generator<void> {
    emit({ type: 'llm_start', path, agent, payload: { model: 'scripted-1', params: { temperature: 0 } } })
    let text = ''
    let count = 0
    for (const word of words) {
      count++
      text += word
      emit({ type: 'llm_token', path, agent, payload: { text: word } }, 4)
      yield
    }
    const message = { id: `msg-${path.join('-')}`, text, tool_calls: [] }
    const counted = { input_tokens: usage, output_tokens: count, total_tokens: usage + count }
    emit({ type: 'llm_end', path, agent, payload: { usage: counted, finish_reason: 'stop', message } })
  }

  function* tool(
    path: CallPath,
    agent: string,
    name: string,
    args: Record<string, string>,
    result: string,
  ): Generator<void> {
    const tool_call_id = path.at(-1) ?? ''
    const payload = { tool_name: name, kind: 'tool', args, meta: { tool_call_id } } as const
    emit({ type: 'tool_start', path, agent, payload })
    yield
    emit({ type: 'tool_end', path, agent, payload: { tool_name: name, result, status: 'ok' } }, 180)
    yield
  }

  function* researcher(index: number): Generator<void> {
    const topic = TOPICS[index % TOPICS.length] ?? ''
    const path = [`task-${index}`]
    const agent = 'researcher'
    const args = { description: `Find out about ${topic}`, subagent_type: agent }
    emit({
      type: 'tool_start',
      path,
      agent,
      payload: { tool_name: 'task', kind: 'subagent', args, meta: { tool_call_id: path[0] ?? '' } },
    })
    yield
    yield* speak([...path, 'llm-0'], agent, ['I will ', `search for ${topic}.`], 420)
    yield* tool([...path, `search-${index}`], agent, 'search', { query: topic }, `3 results about ${topic}`)
    if (ending === 'ask' && index === 0) {
      const value = {
        actionRequests: [
          { name: 'write_file', args: { file_path: 'notes/durable-logs.md', content: '# Durable logs' } },
        ],
        reviewConfigs: [{ actionName: 'write_file', allowedDecisions: ['approve', 'edit', 'reject'] }],
      }
      const asked = {
        checkpoint_id: 'cp-ask',
        node: 'tools',
        state_digest: 'd0',
        interrupts: [{ id: 'int-1', value }],
      }
      emit({ type: 'subgraph_checkpoint', path, agent, payload: asked })
      return
    }
    if (ending === 'fail' && index === agents - 1) {
      const payload = {
        name: 'search',
        message: 'The index answered 503.',
        stack: 'Error: 503\n    at search',
        class: 'Error',
      }
      emit({ type: 'error', path, agent, payload })
      return
    }
    yield* speak([...path, 'llm-1'], agent, phrase(tokens, index), 1900)
    const name = `notes/${topic.replaceAll(' ', '-')}.md`
    const content = `# ${topic}\n\n${[...phrase(Math.min(tokens, 80), index)].join('')}\n`
    emit({
      type: 'tool_update',
      path,
      agent,
      payload: { tool_name: 'task', delta: { files: { added: { [name]: content } } } },
    })
    const messages = [
      { id: `msg-${index}`, role: 'assistant', text: `Notes on ${topic} are in ${name}.` },
    ] as const
    const result = { messages, files: { [name]: content }, usage: { total_tokens: 2320 + tokens } }
    emit({ type: 'tool_end', path, agent, payload: { tool_name: 'task', result, status: 'ok' } })
  }

  const main = 'research'
  const input = { messages: [{ id: 'user-1', role: 'user', text: question }] }
  emit({ type: 'tool_start', path: [], agent: main, payload: { tool_name: main, kind: 'graph', input } })
  drain(speak(['llm-0'], main, ['I will plan first, ', 'then send researchers ', 'side by side.'], 310))
  plan(0)
  interleave(Array.from({ length: agents }, (_, index) => researcher(index)))
  if (ending === 'ask' || ending === 'running') return entries
  plan(1)
  drain(speak(['llm-1'], main, phrase(tokens, 9), 5200))
  const report = { 'report.md': `# Report\n\n${[...phrase(80, 4)].join('')}\n` }
  emit({
    type: 'tool_update',
    path: [],
    agent: main,
    payload: { tool_name: main, delta: { files: { added: report } } },
  })
  plan(2)
  const result = {
    messages: [{ id: 'done', role: 'assistant', text: 'Report written.' }],
    files: report,
    usage: {},
  }
  emit({ type: 'tool_end', path: [], agent: main, payload: { tool_name: main, result, status: 'ok' } })
  return entries

  function plan(done: number): void {
    const todos = ['Ask the researchers', 'Write the report'].map((content, index) => {
      const status = index < done ? 'completed' : index === done ? 'in_progress' : 'pending'
      return { content, status } as const
    })
    emit({ type: 'tool_update', path: [], agent: main, payload: { tool_name: main, delta: { todos } } })
  }
}

function* phrase(count: number, seed: number): Generator<string> {
  for (let index = 0; index < count; index++) {
    const word = WORDS[(index + seed * 7) % WORDS.length] ?? ''
    yield index % 90 === 89 ? `${word}.\n\n` : `${word} `
  }
}

function drain(steps: Generator<void>): void {
  interleave([steps])
}

/** One step of each in turn, as parallel sub-agents speak. */
function interleave(all: readonly Generator<void>[]): void {
  let open = all
  while (open.length > 0) open = open.filter((steps) => steps.next().done !== true)
}
