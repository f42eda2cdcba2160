import type { ChatAgent, ResponseOptions } from './chat-agent.ts'
import type { ChatDocument } from './chat-document.ts'
import type { CycleOptions } from './cycle-detector.ts'
import { parseDoneSequence, type SequenceEvent } from './done-sequence.ts'
import { runTask } from './task-run.ts'

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
  readonly cycles?: CycleOptions
  /** Begin every run of this task with an empty history. Default true. A sub-task always keeps its history. */
  readonly restart?: boolean
  readonly subTasks?: readonly Task[]
  /** Answers for the user when the user is addressed. Without it, addressing the user ends the run. */
  readonly userResponse?: (document: ChatDocument) => string | null | Promise<string | null>
}

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
  /** A new task of the same make, agents and sub-tasks included. */
  clone(): Task
}

export interface TaskRunOptions extends ResponseOptions {
  /** Stop after so many steps, with the pending message as the result. */
  readonly turns?: number
  /** Observes the model calls of one agent; used instead of `observe`, which cannot tell sub-tasks apart. */
  readonly observerOf?: (agent: ChatAgent) => NonNullable<ResponseOptions['observe']>
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
      if (config.restart ?? true) agent.messageHistory = []
      return await runTask(task, message, options)
    },
    clone() {
      return Task(agent.clone(), { ...config, subTasks: subTasks.map((sub) => sub.clone()) })
    },
  }
  return task
}
