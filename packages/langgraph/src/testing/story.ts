import type { Envelope } from '@clewline/core'

/** What a story tells. */
export interface StoryOptions {
  /** Tells of nodes as of other calls. Without it what a node does is told of its graph, and its start and end are not. */
  readonly nodes?: boolean
}

/**
 * A stream as sentences, without saved states, for tests that are read by people. Tokens in a row are one sentence.
 * `from` leaves out the first envelopes, which still give calls their names.
 */
export function story(
  envelopes: readonly Envelope[],
  from = 0,
  { nodes: withNodes = false }: StoryOptions = {},
): string {
  const names = new Map<string, string>()
  const folded = new Set<string>()
  const lines: string[] = []
  let key = ''
  let said = ''

  for (const [index, envelope] of envelopes.entries()) {
    if (!withNodes && envelope.type === 'tool_start' && envelope.payload.kind === 'node')
      folded.add(envelope.call_id)
    const isFolded = folded.has(envelope.call_id)
    const name = nameOf(envelope, names, isFolded)
    if (index < from || (isFolded && isStep(envelope))) continue
    if (envelope.type === 'llm_token') {
      const { channel = 'text', tool_call, text } = envelope.payload
      const before = key
      key = `${envelope.call_id} ${channel} ${tool_call?.index}`
      said = before === key ? said + text : text
      const line = `${name}: ${spoken(channel, tool_call?.name, said)}`
      if (before === key) lines[lines.length - 1] = line
      else lines.push(line)
      continue
    }
    key = ''
    const line = sentence(envelope)
    if (line !== null) lines.push(`${name}: ${line}`)
  }
  return lines.join('\n')
}

/** What says only that a node runs. */
function isStep({ type }: Envelope): boolean {
  return type === 'tool_start' || type === 'tool_end' || type === 'error' || type === 'subgraph_resume'
}

function nameOf(envelope: Envelope, names: Map<string, string>, isFolded: boolean): string {
  const known = names.get(envelope.call_id)
  if (known !== undefined) return known
  const own =
    envelope.type === 'tool_start'
      ? envelope.payload.tool_name
      : envelope.type === 'llm_start'
        ? envelope.payload.model
        : '?'
  const parent = envelope.parent_id === null ? undefined : names.get(envelope.parent_id)
  const name = parent === undefined ? own : isFolded ? parent : `${parent}/${own}`
  names.set(envelope.call_id, name)
  return name
}

function spoken(channel: string, tool: string | undefined, text: string): string {
  if (channel === 'tool_args') return `calls ${tool} ${text}`
  return `${channel === 'reasoning' ? 'reasons' : 'says'} ${JSON.stringify(text)}`
}

function sentence(envelope: Envelope): string | null {
  switch (envelope.type) {
    case 'tool_start': {
      const { kind, args, attempt } = envelope.payload
      const again = attempt === undefined ? '' : ` (attempt ${attempt})`
      return `${kind} starts${args === undefined ? '' : ` ${JSON.stringify(args)}`}${again}`
    }
    case 'llm_start':
      return `model starts${envelope.payload.attempt === undefined ? '' : ` (attempt ${envelope.payload.attempt})`}`
    case 'tool_update': {
      const { tool_name: _, ...said } = envelope.payload
      return `updates ${JSON.stringify(said)}${envelope.origin === 'replay' ? ' (replay)' : ''}`
    }
    case 'tool_end': {
      const { status, result } = envelope.payload
      return `ends ${status}${typeof result === 'string' ? ` ${JSON.stringify(result)}` : ''}`
    }
    case 'llm_end':
      return `ends ${envelope.payload.finish_reason}`
    case 'subgraph_checkpoint': {
      const { interrupts } = envelope.payload
      return interrupts === undefined
        ? null
        : `asks ${interrupts.map((one) => JSON.stringify(one.value)).join(' and ')}`
    }
    case 'subgraph_resume':
      return 'goes on'
    case 'warning':
      return `warns ${envelope.payload.code}`
    case 'error':
      return `fails ${envelope.payload.class}: ${envelope.payload.message}`
    case 'llm_token':
      return null
  }
}
