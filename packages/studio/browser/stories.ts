import { setTimeout as sleep } from 'node:timers/promises'
import type { Interrupt, Json } from '@clewline/core'
import type { RunContext, Source } from '@clewline/core/source'
import { gate, story, type Teller } from './story.ts'

const WRITERS = ['writer-a', 'writer-b'] as const

/** Two sub-agents ask to write a file, side by side, and the main agent asks for a name: three questions at once. */
const asker = story('asker', async (teller) => {
  const { context, request } = teller
  if (request.kind === 'input') {
    await teller.begin()
    for (const writer of WRITERS) {
      const args = { description: `Write as ${writer}`, subagent_type: writer }
      await teller.startTool([writer], 'task', args, { agent: writer, kind: 'subagent' })
    }
    for (const writer of WRITERS) await ask([writer], writer, question(writer))
    const named = { id: 'q-name', value: { question: 'What shall the report be called?' } }
    await ask([], 'asker', named)
    return { status: 'interrupted', interrupts: [...WRITERS.map(question), named] }
  }
  const answers = request.kind === 'resume' ? request.answers : []
  await context.emit({
    type: 'subgraph_resume',
    path: [],
    agent: 'asker',
    payload: { checkpoint_id: 'cp', node: 'tools' },
  })
  for (const writer of WRITERS) await teller.endTool([writer], 'task', 'done', { agent: writer })
  const said = answers.map(({ interrupt_id, value }) => `- ${interrupt_id}: \`${JSON.stringify(value)}\``)
  await teller.says(['llm'], ['Answers:\n\n', said.join('\n')])
  return teller.finish('done')

  async function ask(path: readonly string[], agent: string, interrupt: Interrupt): Promise<void> {
    const payload = { checkpoint_id: 'cp', node: 'tools', state_digest: 'd', interrupts: [interrupt] }
    await context.emit({ type: 'subgraph_checkpoint', path, agent, payload })
  }
})

function question(writer: string): Interrupt {
  return {
    id: `q-${writer}`,
    value: {
      actionRequests: [{ name: 'write_file', args: { file_path: `${writer}.md`, content: 'draft' } }],
      reviewConfigs: [{ actionName: 'write_file', allowedDecisions: ['approve', 'edit', 'reject'] }],
    },
  }
}

/** Calls a tool that the page runs; the next message brings its result. */
const frontend = story('frontend', async (teller) => {
  await teller.begin()
  const result = toolResult(teller)
  if (result !== null) {
    await teller.says(['llm-2'], ['The page answered: ', result])
    return teller.finish('done')
  }
  await teller.startTool(['pick-1'], 'pick_colour', { from: ['red', 'blue'] })
  await teller.endTool(['pick-1'], 'pick_colour', null, { status: 'pending_frontend' })
  return teller.finish('waiting for the page')
})

function toolResult({ request }: Teller): string | null {
  if (request.kind !== 'input' || typeof request.input !== 'object' || request.input === null) return null
  const messages: Json = 'messages' in request.input ? (request.input.messages ?? null) : null
  const last: Json = Array.isArray(messages) ? (messages.at(-1) ?? null) : null
  if (typeof last !== 'object' || last === null || Array.isArray(last) || !('role' in last)) return null
  return last.role === 'tool' && typeof last['content'] === 'string' ? last['content'] : null
}

/** A tool fails, and the run with it. */
const failing = story('failing', async (teller) => {
  await teller.begin()
  await teller.startTool(['search-1'], 'search', { query: 'anything' })
  const stack = 'Error: 429 Too Many Requests\n    at search (search.ts:3:9)'
  const payload = { name: 'search', message: '429 Too Many Requests', stack, class: 'RateLimitError' }
  await teller.context.emit({ type: 'error', path: ['search-1'], agent: 'failing', payload })
  await teller.context.emit({
    type: 'warning',
    path: [],
    agent: 'failing',
    payload: { code: 'silent', message: 'No sign for 30 s.' },
  })
  await teller.context.emit({
    type: 'error',
    path: [],
    agent: 'failing',
    payload: { ...payload, name: 'failing' },
  })
  return { status: 'error', error: { name: 'RateLimitError', message: '429 Too Many Requests' } }
})

/** What a hostile page or model may say. */
const NASTY = `Hello <script>window.pwned = 1</script> <img src=x onerror="window.pwned = 2">

[click me](javascript:window.pwned=3) and [data](data:text/html,<script>window.pwned=4</script>)

![tracker](https://tracker.example/pixel.png)

<iframe srcdoc="<script>parent.pwned=5</script>"></iframe>
<a href="javascript:window.pwned=6" onclick="window.pwned=7">raw link</a>
`

const nasty = story('nasty', async (teller) => {
  await teller.begin()
  await teller.says(['llm'], NASTY.match(/[\s\S]{1,7}/g) ?? [])
  await teller.startTool(['t'], '<b>tool</b>', { html: '<img src=x onerror="window.pwned=8">' })
  const files = { added: { 'page.md': NASTY, 'page.html': '<script>window.pwned = 9</script>' } }
  await teller.context.emit({
    type: 'tool_update',
    path: ['t'],
    agent: 'nasty',
    payload: { tool_name: 't', delta: { files } },
  })
  await teller.endTool(['t'], '<b>tool</b>', '<script>window.pwned=10</script>')
  return teller.finish('done')
})

/** Speaks until it is stopped. */
const endless = story('endless', async (teller) => {
  await teller.begin()
  await teller.says(['llm'], countingWords(), { pace: 20 })
  return { status: 'cancelled' }
})

/** Two sub-agents side by side that speak until they are stopped. */
const crew = story('crew', async (teller) => {
  await teller.begin()
  await Promise.all(
    ['worker-1', 'worker-2'].map(async (agent) => {
      await teller.startTool([agent], 'task', { description: 'Go on' }, { agent, kind: 'subagent' })
      await teller.says([agent, 'llm'], countingWords(), { agent, pace: 20 })
    }),
  )
  return { status: 'cancelled' }
})

function* countingWords(): Generator<string> {
  for (let count = 1; ; count++) yield `word${count} `
}

/** Reasoning, then code in an answer that streams slowly enough to be watched. */
const writer = story('writer', async (teller) => {
  await teller.begin()
  await teller.says(['think'], ['Let me think ', 'about this.'], { channel: 'reasoning', pace: 20 })
  const answer =
    '## Plan\n\nUse `emit`:\n\n```ts\nconst answer: number = 42\n```\n\n| a | b |\n|---|---|\n| 1 | **two** |\n'
  await teller.says(['answer'], answer.match(/[\s\S]{1,4}/g) ?? [], { pace: 8 })
  return teller.finish('done')
})

/** Writes half of the arguments of a tool call, waits at the gate `typist`, writes the rest; then the tool runs. */
const typist = story('typist', async (teller) => {
  await teller.begin()
  const emit: RunContext['emit'] = (draft) => teller.context.emit(draft)
  const call = { id: 'call-1', name: 'write_file' }
  const args = { file_path: 'poem.md', content: 'Roses are red, logs are append-only.' }
  const path = ['llm']
  await emit({ type: 'llm_start', path, agent: 'typist', payload: { model: 'scripted-offline', params: {} } })
  const pieces = JSON.stringify(args).match(/.{1,3}/g) ?? []
  for (const [index, text] of pieces.entries()) {
    if (index === pieces.length - 4) await gate('typist', teller.context.signal)
    const payload = { text, channel: 'tool_args', tool_call: { ...call, index: 0 } } as const
    await emit({ type: 'llm_token', path, agent: 'typist', payload })
  }
  const message = { id: 'm-1', text: '', tool_calls: [{ ...call, args }] }
  await emit({
    type: 'llm_end',
    path,
    agent: 'typist',
    payload: { usage: {}, finish_reason: 'tool_calls', message },
  })
  await teller.startTool(['call-1'], 'write_file', args)
  await teller.endTool(['call-1'], 'write_file', 'Wrote poem.md')
  return teller.finish('done')
})

/** Twenty sub-agents, a thousand tokens each, side by side: twenty thousand tokens in about ten seconds. */
const burst = story('burst', async (teller) => {
  await teller.begin()
  const delta = { state: { budget: { max_total_tokens: 40_000 } } }
  await teller.context.emit({
    type: 'tool_update',
    path: [],
    agent: 'burst',
    payload: { tool_name: 'burst', delta },
  })
  const agents = Array.from({ length: 20 }, (_, index) => `worker-${index + 1}`)
  await Promise.all(
    agents.map(async (agent, index) => {
      await teller.startTool(
        [agent],
        'task',
        { description: `Part ${index + 1}` },
        { agent, kind: 'subagent' },
      )
      const words = Array.from({ length: 1000 }, (_, at) => (at % 60 === 59 ? `end.\n\n` : `word${at} `))
      await teller.says([agent, 'llm'], words, { agent, pace: 9 })
      await teller.endTool([agent], 'task', `Part ${index + 1} is done.`, { agent })
    }),
  )
  await sleep(0)
  return teller.finish('all done')
})

export const stories: Readonly<Record<string, Source>> = {
  asker,
  frontend,
  failing,
  nasty,
  endless,
  crew,
  writer,
  typist,
  burst,
}
