import type { Envelope } from '@clewline/core'

/**
 * A stream as lines that are the same in every run: calls are named by their place, times and random ids are blanked,
 * and calls that run side by side are sorted by (call, seq), because their order against each other is chance.
 */
export function normaliseIds(envelopes: readonly Envelope[]): string {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const runs = new Map<string, string>()

  for (const envelope of envelopes) {
    if (!runs.has(envelope.run_id)) runs.set(envelope.run_id, `run-${runs.size + 1}`)
    if (names.has(envelope.call_id)) continue
    const parent = envelope.parent_id === null ? '' : `${names.get(envelope.parent_id)}/`
    names.set(envelope.call_id, unique(`${parent}${ownName(envelope)}`, taken))
  }

  const nameOf = (id: string | null): string | null => (id === null ? null : (names.get(id) ?? id))
  const lines = envelopes.map((envelope) => ({
    ...envelope,
    ts: 0,
    trace_id: 'trace',
    run_id: runs.get(envelope.run_id),
    call_id: nameOf(envelope.call_id) ?? '',
    parent_id: nameOf(envelope.parent_id),
    payload: blank(envelope.payload, ''),
  }))
  lines.sort((a, b) => compare(a.call_id, b.call_id) || a.seq - b.seq)
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function ownName(envelope: Envelope): string {
  if (envelope.type === 'llm_start') return envelope.payload.model
  if (envelope.type !== 'tool_start') return '?'
  return envelope.payload.meta?.tool_call_id ?? envelope.payload.tool_name
}

function unique(name: string, taken: Set<string>): string {
  let free = name
  for (let n = 2; taken.has(free); n++) free = `${name}~${n}`
  taken.add(free)
  return free
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const RANDOM = /\b[0-9a-f]{32}\b/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g

function blank(value: unknown, key: string): unknown {
  if (typeof value === 'string') {
    if (key === 'stack') return value.split('\n')[0]
    if (key === 'state_digest') return value === '' ? '' : '<digest>'
    return value.replace(UUID, '<id>').replace(RANDOM, '<hash>').replace(TIME, '<time>')
  }
  if (Array.isArray(value)) return value.map((item) => blank(item, ''))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, blank(inner, name)]))
}
