import { describe, expect, it } from 'vitest'
import { createApi } from './api.ts'

const thread = {
  thread_id: 't',
  title: null,
  agent: 'research',
  status: 'idle',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  position: 3,
  metadata: {},
}

function answering(body: string, status = 200): ReturnType<typeof createApi> {
  return createApi({ fetch: () => Promise.resolve(new Response(body, { status })) })
}

describe('the api', () => {
  it('takes what it knows, also from a server that says more', async () => {
    expect(await answering(JSON.stringify({ ...thread, later: true })).thread('t')).toEqual(thread)
    const page = { threads: [thread], next: null }
    expect(await answering(JSON.stringify(page)).threads()).toEqual(page)
  })

  it.each([
    ['a page of another server', '<!doctype html>'],
    ['a list without its name', JSON.stringify([thread])],
    [
      'a thread without an id',
      JSON.stringify({ threads: [{ ...thread, thread_id: undefined }], next: null }),
    ],
    ['a status that is none', JSON.stringify({ threads: [{ ...thread, status: 'asleep' }], next: null })],
  ])('says that an answer is not one instead of passing it on: %s', async (_, body) => {
    await expect(answering(body).threads()).rejects.toMatchObject({
      name: 'ApiError',
      code: 'unexpected',
      message: expect.stringContaining('/api/threads'),
      hint: expect.stringContaining('Clewline server'),
    })
  })

  it.each([
    [
      'its own words',
      JSON.stringify({ error: { code: 'not-found', message: 'No thread "t".', hint: 'List them.' } }),
      { status: 404, code: 'not-found', message: 'No thread "t".', hint: 'List them.' },
    ],
    [
      'the words of a proxy',
      '<h1>Bad gateway</h1>',
      { status: 404, code: 'http', message: 'The server answered 404: <h1>Bad gateway</h1>' },
    ],
  ])('tells a refusal in %s', async (_, body, error) => {
    await expect(answering(body, 404).thread('t')).rejects.toMatchObject(error)
  })

  it('says what to do when nobody answers', async () => {
    const api = createApi({ fetch: () => Promise.reject(new TypeError('fetch failed')) })
    await expect(api.info()).rejects.toMatchObject({
      status: 0,
      code: 'unreachable',
      hint: expect.stringContaining('npx clewline start'),
    })
  })
})
