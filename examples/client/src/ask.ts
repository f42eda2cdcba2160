import { createClient, type Envelope } from '@clewline/client'

/** What an agent of the server at `url` says to a question, as it says it. */
export async function* ask(url: string, agent: string, question: string): AsyncGenerator<string> {
  const client = createClient({ url })
  const { thread_id } = await client.threads.create()
  const input = { messages: [{ role: 'user', content: question }] }
  const { position } = await client.runs.create(thread_id, { agent, input })

  // It resumes by itself after a lost connection or a restart of the server: each envelope comes once, in order.
  for await (const entries of client.follow(thread_id, { after: position })) {
    for (const { envelope } of entries) {
      if (envelope.type === 'llm_token') yield envelope.payload.text
      if (isOver(envelope)) return
    }
  }
}

/** The root call has ended, or waits for an answer: `client.runs.create` with `resume` would give it. */
function isOver({ type, parent_id, payload }: Envelope): boolean {
  if (type === 'subgraph_checkpoint') return payload.interrupts !== undefined
  return parent_id === null && (type === 'tool_end' || type === 'error')
}
