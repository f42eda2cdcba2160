import { type Entry } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { createTimeline } from '@clewline/core/view'
import { expect, test } from 'vitest'
import { editEnvelopes } from './edit-envelopes.ts'

test('an edit by hand is a call that changes files and state, and keeps the rules', () => {
  const values = { files: { 'a.md': 'mine', 'b.md': null }, mode: 'quick', messages: [] }
  const envelopes = editEnvelopes('research', values, 'ada', () => 1_000)
  const entries = envelopes.map((envelope, i): Entry => ({ position: i + 1, envelope }))
  const view = createTimeline(entries).latest()
  expect(verify(envelopes)).toEqual([])
  expect(view.files.get('a.md')).toMatchObject({ content: 'mine', history: [{ call_id: view.roots[0] }] })
  expect(view.state).toEqual({ mode: 'quick' })
  expect(envelopes[0]).toMatchObject({ ts: 1, payload: { by: 'ada' } })
})
