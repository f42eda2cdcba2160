import type { Usage } from '@clewline/core'
import { addUsage } from '@clewline/core/message'
import { callId, type CallPath, type RunContext } from '@clewline/core/source'

/** Sub-tasks as calls, one inside the other. */
export interface StepWriter {
  /** Where the next call belongs: below the innermost sub-task, or below the root. */
  readonly top: CallPath
  readonly depth: number
  begin(name: string): Promise<void>
  /** Counts anew: what follows is a replay. */
  restart(): void
  /** Opens those that a replay went into and that this trace has not: a question may be answered in another one. */
  reopen(): Promise<void>
  /** A model call inside the innermost has cost this much. */
  spend(usage: Usage): void
  /** Ends the innermost. */
  end(result: string, status: 'ok' | 'cancelled'): Promise<void>
}

interface Step {
  readonly path: CallPath
  readonly name: string
  /** Which agent or task began it. */
  readonly from: string
  usage: Usage
}

const ROOT: CallPath = []

export function stepWriter(context: RunContext, mainAgent: string): StepWriter {
  const steps: Step[] = []
  let count = 0

  async function open({ path, name, from }: Step): Promise<void> {
    const payload = { tool_name: name, kind: 'subagent' as const, input: { from } }
    await context.emit({ type: 'tool_start', path, agent: name, payload })
  }

  return {
    get top() {
      return steps.at(-1)?.path ?? ROOT
    },
    get depth() {
      return steps.length
    },
    async begin(name) {
      const from = steps.at(-1) ?? { path: ROOT, name: mainAgent }
      const step = { path: [...from.path, `task:${count++}:${name}`], name, from: from.name, usage: {} }
      steps.push(step)
      await open(step)
    },
    async reopen() {
      for (const step of steps) if (!context.isOpen(step.path)) await open(step)
    },
    restart() {
      steps.length = 0
      count = 0
    },
    spend(usage) {
      for (const step of steps) step.usage = addUsage(step.usage, usage)
    },
    async end(text, status) {
      const step = steps.pop()
      if (step === undefined) return
      const { path, name, usage } = step
      const message = { id: callId(context.trace_id, path), role: 'assistant' as const, text }
      const result = { messages: [message], files: {}, usage }
      await context.emit({
        type: 'tool_end',
        path,
        agent: name,
        payload: { tool_name: name, result, status },
      })
    },
  }
}
