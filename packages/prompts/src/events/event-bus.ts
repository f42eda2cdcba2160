import { createQueue } from '@clewline/core'
import { delivery, type Delivery } from './delivery.ts'
import type { PromptEvent, PromptEventType } from './prompt-event.ts'

type EventHandler<K extends PromptEventType = PromptEventType> = (event: PromptEvent<K>) => unknown

export interface HandlerFailure {
  readonly handler: (event: never) => unknown
  readonly error: unknown
}

export type PublishResult = Delivery<HandlerFailure>

/** Synchronous and ordered: a tool's transaction waits for the verdict of its subscribers. */
export interface EventBus {
  /** Subscribes to events of one type, or of all with `*`. */
  on<K extends PromptEventType>(type: K | '*', handler: EventHandler<K>): Subscription
  /** Calls the handlers in the order in which they subscribed. A rejected promise of one goes to `onRejection`. */
  publish(event: PromptEvent): PublishResult
  /** Every event from now on, until `signal` aborts or the loop is left. */
  events(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<PromptEvent>
}

interface Subscription extends Disposable {
  /** True the first time, false when it was over already. */
  unsubscribe(): boolean
}

/** A bus inside this process. */
export function createEventBus(
  options: { readonly onRejection?: (failure: HandlerFailure) => void } = {},
): EventBus {
  // Insertion order is delivery order, across types and `*`.
  const subscriptions = new Map<object, { type: PromptEventType | '*'; handler: EventHandler<never> }>()

  const bus: EventBus = {
    on(type, handler) {
      if (typeof handler !== 'function') throw new TypeError(`The handler of "${type}" must be a function.`)
      const key = {}
      subscriptions.set(key, { type, handler })
      const unsubscribe = () => subscriptions.delete(key)
      return { unsubscribe, [Symbol.dispose]: unsubscribe }
    },
    publish(event) {
      const errors: HandlerFailure[] = []
      let handled = 0
      // A snapshot: handlers that subscribe during delivery do not get this event.
      const listening = [...subscriptions.values()]
      for (const { type, handler } of listening) {
        if (type !== '*' && type !== event.type) continue
        handled += 1
        try {
          const result = deliver(handler, event)
          if (result instanceof Promise)
            result.catch((error: unknown) => options.onRejection?.({ handler, error }))
        } catch (error) {
          errors.push({ handler, error })
        }
      }
      return delivery(event.type, handled, errors)
    },
    events: ({ signal } = {}) => iterate(bus, signal),
  }
  return bus
}

/** The map above pairs each handler with the type it asked for, which the compiler cannot see. */
function deliver(handler: EventHandler<never>, event: PromptEvent): unknown {
  const call: (event: PromptEvent) => unknown = handler as EventHandler
  return call(event)
}

function iterate(bus: EventBus, signal: AbortSignal | undefined): AsyncIterableIterator<PromptEvent> {
  const subscription = bus.on('*', (event) => queue.push(event))
  const queue = createQueue<PromptEvent>(Infinity, {
    signal,
    onClose: () => void subscription.unsubscribe(),
  })
  return queue[Symbol.asyncIterator]()
}
