import type { ChatAgent } from './chat-agent.ts'
import type { ChatDocument } from './chat-document.ts'
import { hideSignals } from './hide-signals.ts'
import type { TurnObserver } from './model-turn.ts'
import type { Emit, RunObserver } from './run-observer.ts'

/** What people read of a task: its models without the words that steer it, and its result. */
export interface ShownTask {
  /** One per agent. `isMain`: its words are those of the task. */
  observerOf(agent: ChatAgent, isMain: boolean): TurnObserver
  /** Says a document, unless the main agent has just said the same. */
  say(document: ChatDocument, emit: Emit): Promise<void>
}

export function showTask({ turnsOf }: RunObserver): ShownTask {
  const observers = new Map<ChatAgent, TurnObserver>()
  /** What the main agent said last. */
  let last = ''

  function observe(agent: ChatAgent, isMain: boolean): TurnObserver {
    const next = turnsOf(agent)
    let filter = hideSignals()

    async function show(delta: string): Promise<void> {
      if (delta !== '') await next({ type: 'text', delta })
    }

    return async (event) => {
      switch (event.type) {
        case 'start':
          filter = hideSignals()
          return await next(event)
        case 'text':
          return await show(filter.push(event.delta))
        case 'end': {
          await show(filter.end())
          const shown = hidden(event.text)
          if (isMain) last = shown
          return await next({ ...event, text: shown })
        }
        case 'reasoning':
        case 'tool_name':
        case 'tool_args':
          return await next(event)
      }
    }
  }

  return {
    observerOf(agent, isMain) {
      const known = observers.get(agent) ?? observe(agent, isMain)
      observers.set(agent, known)
      return known
    },
    async say(document, emit) {
      const text = hidden(wordsOf(document))
      if (text.trim() !== '' && text.trim() !== last.trim()) await emit({ ev: 'say', text })
    },
  }
}

function hidden(text: string): string {
  const filter = hideSignals()
  return filter.push(text) + filter.end()
}

/** The words of a result; a structured one is its fields. Tools that the model asked for are shown as calls already. */
function wordsOf({ content, visible = content, toolMessages }: ChatDocument): string {
  if (visible.trim() !== '') return visible
  const made = toolMessages.filter((use) => use.via === 'agent')
  return made.map(({ args }) => JSON.stringify(args)).join('\n')
}
