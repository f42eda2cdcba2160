import type { z } from 'zod'
import type { ChatAgent, ResponseOptions } from './chat-agent.ts'
import type { ChatDocument } from './chat-document.ts'
import type { CycleOptions } from './cycle-detector.ts'
import { parseDoneSequence, type SequenceEvent } from './done-sequence.ts'
import { taskResult } from './task-result.ts'
import { runTask } from './task-run.ts'
import { parametersOf } from './tool-message.ts'
import { schemaReminder, typedResult } from './typed-result.ts'
import { UserAwaited } from './user-awaited.ts'

/** Who may answer in a task, besides its sub-tasks. */
export type Responder = 'Agent' | 'LLM' | 'User'

export interface TaskConfig {
  readonly name?: string
  /** One answer of the model, no more. Default false. */
  readonly singleRound?: boolean
  readonly doneIfResponse?: readonly Responder[]
  readonly doneIfNoResponse?: readonly Responder[]
  /** Done as soon as a tool is asked for. */
  readonly doneIfTool?: boolean
  /** Done when the newest events are one of these, in Langroid's short form: `"T, A"`. */
  readonly doneSequences?: readonly string[]
  /** Steps without progress before the task gives up. Default 5. */
  readonly maxStalledSteps?: number
  /** Whether the words DONE, PASS, SEND_TO in an answer steer the task. Default true; false is safer with prose. */
  readonly recognizeStringSignals?: boolean
  readonly allowNullResult?: boolean
  /** The user is asked after each answer that is no tool. Default false: only when it is addressed. */
  readonly interactive?: boolean
  /** Only its user ends a task that talks to it, if no other task called it. Default true. */
  readonly onlyUserQuitsRoot?: boolean
  /** An "@" with which answers address an entity or a task: "|@|Bob, …". None by default. */
  readonly addressingPrefix?: string
  readonly cycles?: CycleOptions
  /** Begin every run of this task with empty histories, sub-tasks included. Default true. As a sub-task it keeps its own. */
  readonly restart?: boolean
  readonly subTasks?: readonly Task[]
  /** Answers for the user. Without it, a question to the user ends the run. */
  readonly userResponse?: UserResponse
}

/** Null or empty: the user says nothing. Undefined: there is no answer yet. */
export type UserResponse = (
  document: ChatDocument,
  task: string,
) => string | null | undefined | Promise<string | null | undefined>

/** An agent with a goal: its entities and sub-tasks answer each other until the task is done. */
export interface Task {
  readonly kind: 'task'
  readonly name: string
  readonly agent: ChatAgent
  readonly config: TaskConfig
  readonly subTasks: readonly Task[]
  readonly doneSequences: readonly (readonly SequenceEvent[])[]
  addSubTask(task: Task | readonly Task[]): void
  /** Runs to the end. Null when it stalled or ran out of turns without an answer. */
  run(message: string | ChatDocument, options?: TaskRunOptions): Promise<ChatDocument | null>
  /**
   * Runs to the end, for a value of a type: from the result's text, JSON in it, or the fields of a tool. A model whose
   * answer does not fit is asked once more, with the schema.
   */
  runFor<T>(type: z.ZodType<T>, message: string | ChatDocument, options?: TaskRunOptions): Promise<T | null>
  /** A new task of the same make, agents and sub-tasks included. */
  clone(): Task
}

export interface TaskRunOptions extends ResponseOptions {
  /** Stop after so many steps, with the pending message as the result. */
  readonly turns?: number
  /** Observes the model calls of one agent; used instead of `observe`, which cannot tell sub-tasks apart. */
  readonly observerOf?: (agent: ChatAgent) => NonNullable<ResponseOptions['observe']>
  /** Answers for the user of any task that has no `userResponse` of its own. */
  readonly userResponse?: UserResponse
  readonly onStep?: (step: StepEvent) => void | Promise<void>
  /** After each step: true ends the run there, because the client must answer. */
  readonly isSuspended?: (pending: ChatDocument) => boolean
}

/** A sub-task begins or ends, or a responder of the task gave a valid answer. */
export type StepEvent =
  | { readonly type: 'task-start'; readonly task: string }
  | { readonly type: 'task-end'; readonly task: string; readonly result: ChatDocument | null }
  | {
      readonly type: 'answer'
      readonly task: string
      readonly responder: string
      readonly document: ChatDocument
    }

export function Task(agent: ChatAgent, config: TaskConfig = {}): Task {
  const subTasks: Task[] = [...(config.subTasks ?? [])]
  const task: Task = {
    kind: 'task',
    name: config.name ?? agent.name,
    agent,
    config,
    subTasks,
    doneSequences: (config.doneSequences ?? []).map(parseDoneSequence),
    addSubTask(more) {
      subTasks.push(...[more].flat())
    },
    async run(message, options = {}) {
      if (config.restart ?? true) forget(task)
      try {
        return await runTask(task, message, options)
      } catch (error) {
        if (!(error instanceof UserAwaited) || error.depth > 0) throw error
        return taskResult(task, error.document, 'OK')
      }
    },
    async runFor(type, message, options = {}) {
      const result = await task.run(message, options)
      if (result === null) return null
      const value = typedResult(result, type)
      if (value !== undefined) return value
      const schema = parametersOf(type)
      const output = { name: 'result', schema }
      const again = await agent.llmResponse(schemaReminder(schema), { ...options, output })
      return again === null ? null : (typedResult(again, type) ?? null)
    },
    clone() {
      return Task(agent.clone(), { ...config, subTasks: subTasks.map((sub) => sub.clone()) })
    },
  }
  return task
}

/** True when the task's agent or that of a sub-task handles the tool. */
export function handlesTool(task: Task, name: string): boolean {
  return task.agent.toolsHandled.has(name) || task.subTasks.some((sub) => handlesTool(sub, name))
}

function forget(task: Task): void {
  task.agent.messageHistory = []
  for (const sub of task.subTasks) forget(sub)
}
