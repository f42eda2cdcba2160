/**
 * Where commands run that an agent thinks of. There is none by default: whoever offers `execute` to a model decides
 * what its commands can reach, and brings a container, a virtual machine or a remote service.
 */
export interface Sandbox {
  /** For the model and for people: what the commands can reach, such as "a container without network". */
  readonly description: string
  /** Runs a shell command to its end, or until the signal aborts. Rejects only when it could not be run. */
  execute(command: string, options: { readonly signal?: AbortSignal }): Promise<Execution>
}

/** How a command ended. */
export interface Execution {
  /** What it printed, both streams in the order of time. */
  readonly output: string
  /** Null when it was killed. */
  readonly exitCode: number | null
}
