// @vitest-environment happy-dom
import type { Json } from '@clewline/core'
import type { Answer } from '@clewline/core/source'
import { createTimeline } from '@clewline/core/view'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { PageContext, ViewContext, type Page } from '../store/page-context.ts'
import type { ThreadActions } from '../store/thread-session.ts'
import { recording } from '../testing/recording.ts'
import { AnswersProvider } from './answers.tsx'
import { InterruptCard } from './interrupt-card.tsx'

afterEach(cleanup)

const timeline = createTimeline(recording({ agents: 2, ending: 'ask' }))
const view = timeline.latest()

function show(): (readonly Answer[])[] {
  const sent: (readonly Answer[])[] = []
  const nothing = (): Promise<void> => Promise.resolve()
  const actions: ThreadActions = {
    send: nothing,
    giveResult: nothing,
    stop: nothing,
    writeFile: nothing,
    answer: (answers) => {
      sent.push(answers)
      return Promise.resolve()
    },
  }
  const page: Page = {
    actions,
    agent: 'research',
    selected: null,
    select: () => undefined,
    prices: {},
    isDebug: false,
  }
  render(
    <PageContext value={page}>
      <ViewContext value={{ view, timeline }}>
        <AnswersProvider>
          {view.interrupts.map((interrupt) => (
            <InterruptCard key={interrupt.id} interrupt={interrupt} />
          ))}
        </AnswersProvider>
      </ViewContext>
    </PageContext>,
  )
  return sent
}

function decision(value: Json): readonly Answer[] {
  return [{ interrupt_id: 'int-1', value: { decisions: [value] } }]
}

it('approves with one click, by interrupt id', async () => {
  const sent = show()
  fireEvent.click(screen.getByRole('button', { name: 'Approve' }))
  await waitFor(() => expect(sent).toEqual([decision({ type: 'approve' })]))
})

it('rejects with a reason', async () => {
  const sent = show()
  fireEvent.click(screen.getByRole('button', { name: 'Reject' }))
  fireEvent.change(screen.getByLabelText('Why reject write_file'), { target: { value: 'too early' } })
  fireEvent.click(screen.getByRole('button', { name: 'Reject' }))
  await waitFor(() => expect(sent).toEqual([decision({ type: 'reject', message: 'too early' })]))
})

it('sends nothing while edited arguments are no JSON', () => {
  const sent = show()
  fireEvent.click(screen.getByRole('button', { name: 'Edit' }))
  fireEvent.change(screen.getByLabelText('Arguments of write_file'), { target: { value: '{' } })
  fireEvent.click(screen.getByRole('button', { name: 'Approve as edited' }))
  expect(screen.getByRole('alert').textContent).toContain('not valid JSON')
  expect(sent).toEqual([])
})
