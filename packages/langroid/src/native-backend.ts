import { createQueue } from '@clewline/core'
import { TASK_TURNS, type Backend, type BackendEvent, type BackendRequest } from './backend.ts'
import type { ChatAgent } from './native/chat-agent.ts'
import { runChat } from './native/run-chat.ts'
import { runTaskChat } from './native/run-task-chat.ts'
import type { Task } from './native/task.ts'

/** Events that may wait for their reader before the agent waits too. */
const ROOM = 256

/** Runs a native agent or task. Every thread has its own copy; a factory makes it where a copy would share too much. */
export function nativeBackend(template: ChatAgent | Task | ((thread: string) => ChatAgent | Task)): Backend {
  const example = typeof template === 'function' ? template('') : template
  const agent = example.kind === 'task' ? example.agent : example
  const make = (thread: string): ChatAgent | Task =>
    typeof template === 'function' ? template(thread) : template.clone()
  const sessions = new Map<string, ChatAgent | Task>()

  function session(thread: string): ChatAgent | Task {
    const known = sessions.get(thread) ?? make(thread)
    sessions.set(thread, known)
    return known
  }

  return {
    name: example.name,
    description: agent.description,
    ...(example.kind === 'task' && { maxTurns: TASK_TURNS }),
    subagents: example.kind === 'task' ? subTaskNames(example) : [],
    // Only a sub-task waits for an answer: the main agent's user answers with the next message.
    interrupts: example.kind === 'task' && example.subTasks.length > 0,
    ...(agent.model.scripted !== undefined && { scripted: agent.model.scripted }),
    run(request) {
      const stop = new AbortController()
      const queue = createQueue<BackendEvent>(ROOM, { onClose: () => stop.abort() })
      const signal = AbortSignal.any([request.signal, stop.signal])
      const scoped: BackendRequest = { ...request, signal }
      const runner = session(request.thread)
      const emit = (event: BackendEvent): void | Promise<void> => queue.push(event)
      const ended = runner.kind === 'task' ? runTaskChat(runner, scoped, emit) : runChat(runner, scoped, emit)
      void ended.then((last) => {
        void queue.push(last)
        queue.close()
      })
      return queue
    },
    evict(thread) {
      sessions.delete(thread)
    },
    async close() {
      sessions.clear()
    },
  }
}

function subTaskNames(task: Task): readonly string[] {
  return task.subTasks.flatMap((sub) => [sub.name, ...subTaskNames(sub)])
}
