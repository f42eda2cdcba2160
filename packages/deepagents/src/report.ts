import type { AgentRuntime } from './agent-runtime.ts'
import type { Todo } from './deep-agent-state.ts'

/**
 * What a tool says while it runs, through LangGraph's `writer` under the key `clewline` (see README, writer protocol).
 * A consumer that does not know it sees one more custom chunk.
 */
export type Report =
  | { readonly delta: { readonly todos: readonly Todo[] } }
  | { readonly delta: { readonly files: FilesDelta } }
  | { readonly progress: { readonly done: number; readonly total?: number } }
  | {
      readonly warning: { readonly code: string; readonly message: string; readonly [fact: string]: unknown }
    }

interface FilesDelta {
  readonly added?: Readonly<Record<string, string>>
  readonly changed?: Readonly<Record<string, string>>
  readonly removed?: readonly string[]
}

/** Reports to the readers of the run. */
export function report(
  runtime: { readonly writer?: AgentRuntime['writer'] | undefined },
  said: Report,
): void {
  runtime.writer?.({ clewline: said })
}
