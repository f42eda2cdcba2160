import { AIMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import type { AgentRuntime } from './agent-runtime.ts'
import { answer } from './answer.ts'
import { todosSchema } from './deep-agent-state.ts'
import { report } from './report.ts'

const description = `Write the plan for this work, or write it again with progress. The list replaces the one before.

Use it when the work has three or more steps, when the user lists several things, or when new facts change the plan.
Skip it for a question that one answer settles. "Compare three databases and write a report" deserves a plan (gather
facts on each, compare, write, check); "Which port does Postgres use?" does not.

- Every item has \`content\` and a \`status\`: pending, in_progress or completed.
- Keep exactly one item in_progress while you work; set it before you begin.
- Mark an item completed as soon as it is done, and only when it is really done.
- Drop items that no longer matter and add those that you discover.`

/** The planning tool. */
export const writeTodos = tool(
  ({ todos }, runtime: AgentRuntime) => {
    if (isReplaced(runtime)) {
      const text =
        'This plan was not stored: you wrote another one after it in the same turn. Write the plan once per turn.'
      return answer(runtime, { tool: 'write_todos', text, failed: true })
    }
    report(runtime, { delta: { todos } })
    const done = todos.filter((todo) => todo.status === 'completed').length
    const current = todos.find((todo) => todo.status === 'in_progress')
    const now = current === undefined ? '' : ` In progress: ${current.content}.`
    return answer(runtime, {
      tool: 'write_todos',
      text: `Updated the todo list: ${done} of ${todos.length} completed.${now}`,
      changes: { todos },
      artifact: todos,
    })
  },
  { name: 'write_todos', description, schema: z.object({ todos: todosSchema.describe('The whole list') }) },
)

/** The calls of a turn run in parallel: which of two plans stands must not depend on which ends last. */
function isReplaced({ state, toolCallId }: AgentRuntime): boolean {
  const turn = state.messages?.findLast((message) => AIMessage.isInstance(message))
  const plans = turn?.tool_calls?.filter(({ name }) => name === 'write_todos') ?? []
  return plans.length > 1 && plans.at(-1)?.id !== toolCallId
}
