/** Thrown by a tool to give the conversation to another agent: it ends the evaluation, it does not fail the tool. */
export class Handoff extends Error {
  readonly target: string
  readonly task: string

  constructor(target: string, task: string) {
    super(`Handed over to ${target}: ${task}`)
    this.name = 'Handoff'
    this.target = target
    this.task = task
  }
}
