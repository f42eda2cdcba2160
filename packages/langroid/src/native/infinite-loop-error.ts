/** Thrown when a task goes round in circles. */
export class InfiniteLoopError extends Error {
  constructor(task: string) {
    super(`The task "${task}" repeats itself. Adjust its \`cycles\`, or give it a way to be done.`)
    this.name = 'InfiniteLoopError'
  }
}
