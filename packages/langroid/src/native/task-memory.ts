import type { Json } from '@clewline/core'
import { z } from 'zod'
import { repairHistory, type LLMMessage } from '../llm-message.ts'
import type { Task } from './task.ts'

/** Histories of sub-agents, by where their tasks are in the tree: names need not be unique. */
const TaskMemory = z.object({ agents: z.record(z.string(), z.array(z.custom<LLMMessage>())) })
const UNANSWERED = 'No result: the run ended before this call was answered.'

/** What the sub-agents of a task remember, each its own. The main agent's history is the thread's. */
export function taskMemory(task: Task): Json {
  const histories = [...subTasks(task)].map(([place, { agent }]): [string, Json] => {
    const messages = repairHistory(agent.messageHistory, UNANSWERED)
    return [place, messages.map(plainMessage)]
  })
  return { agents: Object.fromEntries(histories) }
}

/** Gives each sub-agent its history back. */
export function restoreMemory(task: Task, memory: Json): void {
  const { data } = TaskMemory.safeParse(memory)
  for (const [place, { agent }] of subTasks(task)) agent.messageHistory = [...(data?.agents[place] ?? [])]
}

function* subTasks(task: Task, around = ''): Generator<readonly [place: string, task: Task]> {
  for (const [i, sub] of task.subTasks.entries()) {
    const place = `${around}${i}:${sub.name}`
    yield [place, sub]
    yield* subTasks(sub, `${place}/`)
  }
}

function plainMessage({ role, content, tool_calls, tool_call_id }: LLMMessage): Json {
  return {
    role,
    content,
    ...(tool_calls !== undefined && { tool_calls: tool_calls.map((call) => ({ ...call })) }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  }
}
