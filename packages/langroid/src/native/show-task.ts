import type { ChatAgent } from './chat-agent.ts'
import type { ChatDocument } from './chat-document.ts'
import { hideSignals, type SignalFilter } from './hide-signals.ts'
import type { TurnObserver } from './model-turn.ts'
import type { Emit, RunObserver } from './run-observer.ts'
import type { Task } from './task.ts'

/** What people read of a task: its models without the words that steer it, and its result. */
export interface ShownTask {
  /** One per agent of the task. */
  observerOf(agent: ChatAgent): TurnObserver
  /** Says a document, unless the main agent has just said the same. */
  say(document: ChatDocument, emit: Emit): Promise<void>
}

export function showTask(task: Task, { turnsOf }: RunObserver): ShownTask {
  const observers = new Map<ChatAgent, TurnObserver>()
  /** What the main agent said last. */
  let last = ''

  function observe(agent: ChatAgent): TurnObserver {
    const next = turnsOf(agent)
    const of = taskOf(task, agent)
    let filter = filterOf(of)

    async function show(delta: string): Promise<void> {
      if (delta !== '') await next({ type: 'text', delta })
    }

    return async (event) => {
      switch (event.type) {
        case 'start':
          filter = filterOf(of)
          return await next(event)
        case 'text':
          return await show(filter.push(event.delta))
        case 'end': {
          await show(filter.end())
          const shown = filtered(event.text, of)
          if (agent === task.agent) last = shown
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
    observerOf(agent) {
      const known = observers.get(agent) ?? observe(agent)
      observers.set(agent, known)
      return known
    },
    async say(document, emit) {
      const text = filtered(wordsOf(document), task)
      if (text.trim() !== '' && text.trim() !== last.trim()) await emit({ ev: 'say', text })
    },
  }
}

/** Where a task knows no signals, their words are words. */
function filterOf(task: Task | undefined): SignalFilter {
  const hasSignals = task?.config.recognizeStringSignals ?? true
  return hasSignals ? hideSignals() : { push: (delta) => delta, end: () => '' }
}

function filtered(text: string, task: Task | undefined): string {
  const filter = filterOf(task)
  return filter.push(text) + filter.end()
}

function taskOf(task: Task, agent: ChatAgent): Task | undefined {
  if (task.agent === agent) return task
  for (const sub of task.subTasks) {
    const found = taskOf(sub, agent)
    if (found !== undefined) return found
  }
  return undefined
}

/** The words of a result; a structured one is its fields. Tools that the model asked for are shown as calls already. */
function wordsOf({ content, visible = content, toolMessages }: ChatDocument): string {
  if (visible.trim() !== '') return visible
  const made = toolMessages.filter((use) => use.via === 'agent')
  return made.map(({ args }) => JSON.stringify(args)).join('\n')
}
