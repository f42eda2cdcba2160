import type { Json } from '@clewline/core'
import { answerTo } from '@clewline/core/view'
import { createContext, useContext, useMemo, useState, type ReactNode } from 'react'
import { explain } from '../connection/explain.ts'
import { usePage, useView } from '../store/page-context.ts'

/** Answers that are ready. With several questions open they are sent together, because a run goes on once. */
export interface Answers {
  readonly ready: ReadonlyMap<string, Json>
  readonly isSending: boolean
  readonly problem: string
  /** Null takes the answer back. */
  readonly give: (interrupt_id: string, value: Json | null) => void
  /** Sends what is ready, though other questions stay open. */
  readonly send: () => void
}

const AnswersContext = createContext<Answers>({
  ready: new Map(),
  isSending: false,
  problem: '',
  give: () => undefined,
  send: () => undefined,
})

export function useAnswers(): Answers {
  return useContext(AnswersContext)
}

export function AnswersProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { actions, agent } = usePage()
  const { interrupts, runs } = useView()
  const [ready, setReady] = useState<ReadonlyMap<string, Json>>(new Map())
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState('')

  const answers = useMemo<Answers>(() => {
    async function send(all: ReadonlyMap<string, Json>): Promise<void> {
      const given = interrupts.flatMap((interrupt) => {
        const value = all.get(interrupt.id)
        return value === undefined ? [] : [answerTo(interrupt, value)]
      })
      if (given.length === 0 || actions === undefined) return
      setSending(true)
      setProblem('')
      try {
        await actions.answer(given, [...runs.values()].at(-1)?.agent ?? agent)
        setReady(new Map())
      } catch (error) {
        setProblem(explain(error).message)
      } finally {
        setSending(false)
      }
    }
    return {
      ready,
      isSending,
      problem,
      give(interrupt_id, value) {
        const next = new Map(ready)
        if (value === null) next.delete(interrupt_id)
        else next.set(interrupt_id, value)
        setReady(next)
        if (interrupts.every(({ id }) => next.has(id))) void send(next)
      },
      send: () => void send(ready),
    }
  }, [actions, agent, interrupts, isSending, problem, ready, runs])

  return <AnswersContext value={answers}>{children}</AnswersContext>
}
