// One run through each server, as its own clients do it. Each answers with what arrived and when.
const input = (tokens, pause) => ({
  messages: [{ role: 'user', content: `tokens=${tokens}${pause > 0 ? ` pause=${pause}` : ''}` }],
})

async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${response.status} ${url}: ${(await response.text()).slice(0, 300)}`)
  return response
}

/** Reads a stream to `last`, counting bytes and what `count` finds in the text. */
async function drain(response, started, { count, last }) {
  const decoder = new TextDecoder()
  let bytes = 0
  let tokens = 0
  let first = null
  let rest = ''
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    const text = rest + decoder.decode(chunk, { stream: true })
    const cut = text.lastIndexOf('\n\n') + 2
    const whole = text.slice(0, cut)
    rest = text.slice(cut)
    const found = count(whole)
    if (found > 0) first ??= performance.now() - started
    tokens += found
    if (last(whole)) break
  }
  return { ms: performance.now() - started, first, tokens, bytes }
}

const occurrences = (needle) => (text) => text.split(needle).length - 1

export async function clewlineRun(server, tokens, { profile = 'debug', pause = 0 } = {}) {
  const { thread_id } = await (await post(`${server.url}/api/threads`, {})).json()
  // A screen has its thread's stream open before anything is asked: the stream stays open across runs.
  const response = await fetch(`${server.url}/api/threads/${thread_id}/events?profile=${profile}`)
  const started = performance.now()
  const posted = post(`${server.url}/api/threads/${thread_id}/runs`, {
    agent: 'bench',
    input: input(tokens, pause),
  })
  const result = await drain(response, started, {
    count: occurrences('"type":"llm_token"'),
    last: (text) => /"type":"tool_end"[^\n]*"parent_id":null/.test(text),
  })
  await posted
  return result
}

/** A run that is only asked whether it is over. */
export async function unreadRun(server, tokens, { pause = 0 } = {}) {
  const { thread_id } = await (await post(`${server.url}/api/threads`, {})).json()
  const started = performance.now()
  const runs = `${server.url}/api/threads/${thread_id}/runs`
  const { run_id } = await (await post(runs, { agent: 'bench', input: input(tokens, pause) })).json()
  for (;;) {
    // Seldom enough to cost nothing beside the run.
    await new Promise((resolve) => setTimeout(resolve, pause > 0 ? 1_000 : 100))
    const { status } = await (await fetch(`${runs}/${run_id}`)).json()
    if (status !== 'pending' && status !== 'running') return { ms: performance.now() - started, bytes: 0 }
  }
}

export async function clewlineAguiRun(server, tokens, { pause = 0 } = {}) {
  const started = performance.now()
  const body = aguiInput(tokens, pause)
  const response = await post(`${server.url}/agui/bench`, body, { accept: 'text/event-stream' })
  return drain(response, started, {
    count: occurrences('TEXT_MESSAGE_CONTENT'),
    last: (text) => text.includes('RUN_FINISHED') || text.includes('RUN_ERROR'),
  })
}

export async function langgraphRun(server, tokens, { mode = 'messages-tuple', pause = 0 } = {}) {
  const { thread_id } = await (await post(`${server.url}/threads`, {})).json()
  const started = performance.now()
  const response = await post(`${server.url}/threads/${thread_id}/runs/stream`, {
    assistant_id: 'bench',
    input: input(tokens, pause),
    stream_mode: [mode],
    stream_subgraphs: true,
  })
  const needle = mode === 'events' ? 'on_chat_model_stream' : 'event: messages'
  return drain(response, started, { count: occurrences(needle), last: () => false })
}

export async function copilotkitRun(server, tokens, { pause = 0 } = {}) {
  const started = performance.now()
  const response = await post(`${server.url}/agent/bench/run`, aguiInput(tokens, pause), {
    accept: 'text/event-stream',
  })
  return drain(response, started, {
    count: occurrences('"TEXT_MESSAGE_CONTENT"'),
    last: (text) => text.includes('"RUN_FINISHED"') || text.includes('"RUN_ERROR"'),
  })
}

function aguiInput(tokens, pause) {
  return {
    threadId: crypto.randomUUID(),
    runId: crypto.randomUUID(),
    state: {},
    messages: [{ id: crypto.randomUUID(), role: 'user', content: input(tokens, pause).messages[0].content }],
    tools: [],
    context: [],
    forwardedProps: {},
  }
}
