import type { ChatDocument } from './chat-document.ts'

/** Thrown when a task needs its user and there is no one to ask: the run stops here, and goes on with an answer. */
export class UserAwaited extends Error {
  readonly task: string
  /** What the user is asked. */
  readonly document: ChatDocument
  /** 0 for the task that was run, 1 for its sub-tasks … */
  readonly depth: number

  constructor(task: string, document: ChatDocument, depth: number) {
    super(`The task "${task}" waits for its user. Give it a \`userResponse\`.`)
    this.name = 'UserAwaited'
    this.task = task
    this.document = document
    this.depth = depth
  }
}
