import { HttpAgent } from '@ag-ui/client'
import type { Message } from '@ag-ui/client'
import { askAboutSteps, frontendTools } from './frontend-tools.ts'
import { showMessages } from './show-messages.ts'
import { showState } from './show-state.ts'
import { element, need } from './dom.ts'

const NAMES = [
  'agentic_chat',
  'backend_tool_rendering',
  'shared_state',
  'agentic_generative_ui',
  'human_in_the_loop',
]
const feature = new URLSearchParams(location.search).get('feature') ?? 'agentic_chat'
const agent = new HttpAgent({
  url: `/${encodeURIComponent(feature)}`,
  threadId: crypto.randomUUID(),
  ...(feature === 'shared_state' ? { initialState: { recipe: firstRecipe() } } : {}),
})

need('features').append(
  ...NAMES.map((name) => {
    const link = element('a', name.replaceAll('_', ' '))
    link.href = `?feature=${name}`
    if (name === feature) link.setAttribute('aria-current', 'page')
    return link
  }),
)
agent.subscribe({
  onMessagesChanged: ({ messages }) => showMessages(need('messages'), messages),
  onStateChanged: ({ state }) => showState(need('state'), state, changeState),
  onRunErrorEvent: ({ event }) => report(event.message),
})
showState(need('state'), agent.state, changeState)

need('form').addEventListener('submit', (event) => {
  event.preventDefault()
  const input = need('text')
  if (!(input instanceof HTMLInputElement) || input.value.trim() === '') return
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: input.value })
  input.value = ''
  void run()
})

/** Runs until the agent needs nothing more from this page: its tools are answered, and each answer starts a run. */
async function run(): Promise<void> {
  need('status').textContent = 'working'
  try {
    for (;;) {
      await agent.runAgent({ tools: frontendTools(feature) })
      const calls = unanswered(agent.messages)
      if (calls.length === 0) break
      for (const call of calls) {
        const content = await answer(call.function.name, JSON.parse(call.function.arguments))
        agent.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId: call.id, content })
      }
    }
    need('status').textContent = ''
  } catch (error) {
    report(error instanceof Error ? error.message : String(error))
  }
}

async function answer(name: string, args: unknown): Promise<string> {
  if (name === 'generate_task_steps') return await askAboutSteps(need('question'), args)
  const background =
    typeof args === 'object' && args !== null && 'background' in args ? String(args.background) : ''
  document.body.style.background = background
  return JSON.stringify({ changed: background })
}

function unanswered(messages: readonly Message[]) {
  const answered = new Set(
    messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
  )
  const last = messages.findLast((message) => message.role === 'assistant')
  const mine = new Set(frontendTools(feature).map((tool) => tool.name))
  return (last?.toolCalls ?? []).filter((call) => mine.has(call.function.name) && !answered.has(call.id))
}

function changeState(state: object): void {
  agent.setState(state)
}

function report(message: string): void {
  const alert = element('span', message)
  alert.setAttribute('role', 'alert')
  need('status').replaceChildren(alert)
}

function firstRecipe(): object {
  return {
    title: 'My recipe',
    skill_level: 'Beginner',
    cooking_time: '30 min',
    special_preferences: [],
    ingredients: [{ icon: '🥕', name: 'Carrots', amount: '3' }],
    instructions: [],
    changes: '',
  }
}
