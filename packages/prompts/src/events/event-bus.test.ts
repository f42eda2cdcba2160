import { describe, expect, test } from 'vitest'
import { createEventBus } from './event-bus.ts'
import type { PromptEvent } from './prompt-event.ts'

const event = (promptName = 'p'): PromptEvent<'Interrupted'> => ({
  type: 'Interrupted',
  eventId: 'e',
  sessionId: 's',
  evaluationId: 'v',
  promptName,
  adapter: 'a',
  at: new Date(0),
  interrupts: [],
})

describe('publish', () => {
  test('B24: handlers run in the order of subscription, one failure stops no other, the result names it', () => {
    const bus = createEventBus()
    const heard: number[] = []
    const failing = () => {
      throw new Error('second')
    }
    bus.on('Interrupted', () => heard.push(1))
    bus.on('Interrupted', failing)
    bus.on('*', () => heard.push(3))
    bus.on('PromptFailed', () => heard.push(4))
    const result = bus.publish(event())
    expect(heard).toEqual([1, 3])
    expect(result).toMatchObject({ ok: false, handled: 3 })
    expect(result.errors[0]?.handler).toBe(failing)
    expect(() => result.throwIfErrors()).toThrow(AggregateError)
    expect(() => result.throwIfErrors()).toThrow('1 of 3 failed on Interrupted: second')
  })

  test('B25: unsubscribe is true once, false after', () => {
    const bus = createEventBus()
    const heard: string[] = []
    const subscription = bus.on('Interrupted', ({ promptName }) => heard.push(promptName))
    bus.publish(event('before'))
    expect(subscription.unsubscribe()).toBe(true)
    expect(subscription.unsubscribe()).toBe(false)
    expect(bus.publish(event('after')).handled).toBe(0)
    expect(heard).toEqual(['before'])
  })

  test('one handler may subscribe twice and leave once', () => {
    const bus = createEventBus()
    let heard = 0
    const handler = () => (heard += 1)
    bus.on('*', handler)
    bus.on('*', handler).unsubscribe()
    bus.publish(event())
    expect(heard).toBe(1)
  })

  test('a promise that rejects is reported, and is no failure of the publish', async () => {
    const failures: unknown[] = []
    const bus = createEventBus({ onRejection: ({ error }) => failures.push(error) })
    bus.on('*', async () => {
      throw new Error('later')
    })
    expect(bus.publish(event()).ok).toBe(true)
    await expect.poll(() => failures).toEqual([new Error('later')])
  })
})

describe('events', () => {
  test('gives what comes after the call, and ends when the signal aborts', async () => {
    const bus = createEventBus()
    const controller = new AbortController()
    bus.publish(event('too early'))
    const events = bus.events({ signal: controller.signal })
    bus.publish(event('one'))
    const names: string[] = []
    const reading = (async () => {
      for await (const { promptName } of events) {
        names.push(promptName)
        if (promptName === 'one') bus.publish(event('two'))
        else controller.abort()
      }
    })()
    await reading
    expect(names).toEqual(['one', 'two'])
    expect(bus.publish(event()).handled).toBe(0)
  })

  test('leaving the loop unsubscribes', async () => {
    const bus = createEventBus()
    const events = bus.events()
    bus.publish(event())
    for await (const _ of events) break
    expect(bus.publish(event()).handled).toBe(0)
  })
})
