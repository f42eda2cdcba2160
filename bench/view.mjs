// The view of a long log: folding it all, and jumping to any point of it. Once with long answers, once with many short calls.
import { createLedger } from '@clewline/core/source'
import { createTimeline } from '@clewline/core/view'

const ENVELOPES = 100_000
const AGENTS = 20

function longLog(tokens) {
  const ledger = createLedger({ trace_id: 'trace', run_id: 'run' })
  const entries = []
  const emit = (draft) => {
    for (const envelope of ledger.stamp({ agent: 'main', ...draft }))
      entries.push({ position: entries.length + 1, envelope })
  }
  emit({
    type: 'tool_start',
    path: [],
    payload: { tool_name: 'main', kind: 'graph', input: { messages: [] } },
  })
  const agents = Array.from({ length: AGENTS }, (_, i) => [`task-${i}`])
  for (const path of agents)
    emit({ type: 'tool_start', path, payload: { tool_name: 'task', kind: 'subagent', args: {} } })
  let turn = 0
  while (entries.length < ENVELOPES) {
    turn += 1
    const calls = agents.map((path) => [...path, `llm-${turn}`])
    for (const path of calls) emit({ type: 'llm_start', path, payload: { model: 'm', params: {} } })
    for (let token = 0; token < tokens; token += 1) {
      for (const path of calls) emit({ type: 'llm_token', path, payload: { text: `word${token} ` } })
    }
    for (const path of calls) {
      const message = { id: 'm', text: 'text', tool_calls: [] }
      emit({
        type: 'llm_end',
        path,
        payload: { usage: { input_tokens: 9, output_tokens: 40 }, finish_reason: 'stop', message },
      })
      const files = { changed: { 'notes.md': `turn ${turn}` } }
      emit({ type: 'tool_update', path: path.slice(0, 1), payload: { tool_name: 'task', delta: { files } } })
    }
  }
  return entries
}

for (const tokens of [40, 2]) {
  const entries = longLog(tokens)
  const started = performance.now()
  const timeline = createTimeline(entries)
  const folded = performance.now() - started

  const jumps = Array.from({ length: 200 }, (_, i) => Math.floor((((i * 7919) % 200) / 200) * entries.length))
  const times = jumps
    .map((n) => {
      const before = performance.now()
      timeline.at(n)
      return performance.now() - before
    })
    .sort((a, b) => a - b)

  const calls = timeline.latest().calls.size
  console.log(
    `${entries.length} envelopes, ${calls} calls: folded in ${folded.toFixed(0)} ms (${((folded / entries.length) * 1000).toFixed(2)} µs each)`,
  )
  console.log(
    `jump to a random point: median ${times[100].toFixed(1)} ms, slowest ${times.at(-1).toFixed(1)} ms (must be well under 100 ms)`,
  )
}
