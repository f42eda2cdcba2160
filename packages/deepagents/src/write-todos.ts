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
