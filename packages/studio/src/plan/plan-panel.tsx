import type { Todo } from '@clewline/core'
import { Circle, CircleCheck, CircleDot, ListChecks } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../design/empty-state.tsx'
import { useView } from '../store/page-context.ts'

const ICONS = { pending: Circle, in_progress: CircleDot, completed: CircleCheck } as const
const WORDS = { pending: 'to do', in_progress: 'in progress', completed: 'done' } as const

/** The agent's plan and how far it is. */
export function PlanPanel(): ReactNode {
  const { todos } = useView()
  if (todos.length === 0) {
    return (
      <EmptyState icon={ListChecks} title="No plan yet">
        When an agent writes its todos, they are ticked off here as it works.
      </EmptyState>
    )
  }
  const done = todos.filter(({ status }) => status === 'completed').length
  return (
    <div className="cw-plan cw-focusable" tabIndex={0} role="region" aria-label="Plan">
      <div className="cw-plan-head">
        <span className="cw-num">
          {done} of {todos.length} done
        </span>
        <div
          className="cw-meter"
          role="progressbar"
          aria-label="Plan progress"
          aria-valuenow={done}
          aria-valuemin={0}
          aria-valuemax={todos.length}
        >
          <i style={{ width: `${(done / todos.length) * 100}%` }} />
        </div>
      </div>
      <ol>
        {todos.map((todo, index) => (
          <Line key={index} todo={todo} />
        ))}
      </ol>
    </div>
  )
}

function Line({ todo }: { readonly todo: Todo }): ReactNode {
  const Icon = ICONS[todo.status]
  return (
    <li data-status={todo.status}>
      <Icon size={15} aria-hidden />
      <span>{todo.content}</span>
      <span className="cw-hidden">{WORDS[todo.status]}</span>
    </li>
  )
}
