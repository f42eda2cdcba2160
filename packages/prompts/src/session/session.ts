import { randomUUID } from 'node:crypto'
import { delivery, type Delivery } from '../events/delivery.ts'
import { createEventBus, type EventBus } from '../events/event-bus.ts'
import type { PromptEvent, PromptEventType } from '../events/prompt-event.ts'
import { PromptDefinitionError } from '../prompt-definition-error.ts'
import { validateNow, type Schema } from '../schema/schema.ts'
import {
  rootLayer,
  transactionLayer,
  type Layer,
  type RootLayer,
  type SliceValues,
  type TransactionLayer,
} from './layer.ts'
import { PolicyFacts } from './policy-facts.ts'
import { append } from './reducers.ts'
import type { Action, Slice, SlicePolicy } from './slice.ts'
import { assertJson, readSnapshot, type Snapshot } from './snapshot.ts'

/** Pure: from the values and what happened to the new values. Returning `values` itself changes nothing. */
export type Reducer<T, E> = (
  values: readonly T[],
  event: E,
  context: { readonly session: SessionView },
) => readonly T[]

interface Query<T> {
  all(): readonly T[]
  latest(): T | undefined
  where(predicate: (value: T) => boolean): readonly T[]
}

interface ReducerFailure {
  readonly slice: string
  readonly error: unknown
}

/** What reducers and sections see of a session. */
export interface SessionView {
  readonly id: string
  query<T>(slice: Slice<T>): Query<T>
}

/** Typed state that tools change in transactions. */
export interface Session extends SessionView {
  readonly bus: EventBus
  readonly parent: Session | undefined
  readonly tags: Readonly<Record<string, string>>
  /** Adds a slice without reducers. */
  add<T>(slice: Slice<T>): this
  /** Runs `reducer` on each such action or event, after those registered before it. */
  register<T, E>(slice: Slice<T>, on: Action<E>, reducer: Reducer<T, E>): this
  register<T, K extends PromptEventType>(slice: Slice<T>, on: K, reducer: Reducer<T, PromptEvent<K>>): this
  /** Runs the reducers. One that throws leaves its slice as it was. */
  dispatch(action: { readonly type: string; readonly payload?: unknown }): Delivery<ReducerFailure>
  /** Runs the reducers that are registered on an event. Adapters call it after publishing. */
  apply(event: PromptEvent, only?: SlicePolicy): Delivery<ReducerFailure>
  /** Appends values to the slices that have this very schema. */
  collect(schema: Schema, values: readonly unknown[]): void
  /** Replaces all values of a slice. */
  seed<T>(slice: Slice<T>, values: readonly T[]): void
  /** Removes the values that match, or all. */
  clear<T>(slice: Slice<T>, predicate?: (value: T) => boolean): void
  reset(): void
  snapshot(): Snapshot
  /** All or nothing. With `keepLogs`, log slices stay as they are. */
  restore(snapshot: Snapshot | string, options?: { readonly keepLogs?: boolean }): void
  /** Runs `work` on a view of this session; its writes land together, or not at all when it throws. */
  transaction<R>(work: (view: Session) => R | Promise<R>): Promise<R>
  /** A view whose writes land when it is committed. */
  begin(label?: string): Transaction
  /** A new session with the same slices, reducers and values, and this one as its parent. */
  fork(options?: { readonly tags?: Readonly<Record<string, string>>; readonly bus?: EventBus }): Session
}

export interface Transaction extends Pick<TransactionLayer, 'commit' | 'rollback'> {
  readonly session: Session
}

export interface SessionOptions {
  readonly id?: string
  readonly bus?: EventBus
  readonly tags?: Readonly<Record<string, string>>
  readonly slices?: readonly Slice<unknown>[]
}

/** An empty session. */
export function createSession(options: SessionOptions = {}): Session {
  const registry: Registry = {
    slices: new Map([[PolicyFacts.name, PolicyFacts]]),
    reducers: new Map(),
  }
  const identity = identify(options, undefined)
  const session = sessionOn(rootLayer(), registry, identity)
  options.slices?.forEach((slice) => session.add(slice))
  return session
}

interface Registry {
  readonly slices: Map<string, Slice<unknown>>
  readonly reducers: Map<
    string,
    { readonly slice: Slice<unknown>; readonly reducer: Reducer<unknown, unknown> }[]
  >
}

interface Identity {
  readonly id: string
  readonly bus: EventBus
  readonly parent: Session | undefined
  readonly tags: Readonly<Record<string, string>>
}

function identify(options: SessionOptions, parent: Session | undefined): Identity {
  const id = options.id ?? randomUUID()
  const bus = options.bus ?? parent?.bus ?? createEventBus()
  const origin = parent === undefined ? {} : { parent_session_id: parent.id }
  return { id, bus, parent, tags: { ...parent?.tags, ...origin, ...options.tags, session_id: id } }
}

function sessionOn(layer: Layer & Partial<RootLayer>, registry: Registry, identity: Identity): Session {
  const queryOn = <T>(target: Layer, slice: Slice<T>): Query<T> => {
    const values = () => target.read(known(slice)) as readonly T[]
    return {
      all: values,
      latest: () => values().at(-1),
      where: (predicate) => values().filter(predicate),
    }
  }

  /** A name means one slice: two declarations with one name would overwrite each other in snapshots. */
  const known = (slice: Slice<never> | Slice<unknown>): Slice<unknown> => {
    const found = registry.slices.get(slice.name)
    if (found === slice) return found
    throw new PromptDefinitionError(
      found === undefined
        ? `The slice "${slice.name}" is not registered.`
        : `Two slices are named "${slice.name}".`,
      { hint: 'Add each slice once: createSession({ slices: [Plan] }) or session.add(Plan).' },
    )
  }

  const reduce = (type: string, payload: unknown, only?: SlicePolicy): Delivery<ReducerFailure> =>
    layer.perform((target, policy) => {
      const due = (registry.reducers.get(type) ?? []).filter(
        ({ slice }) => policy === undefined || slice.policy === policy,
      )
      const errors: ReducerFailure[] = []
      const view: SessionView = { id: identity.id, query: (slice) => queryOn(target, slice) }
      for (const { slice, reducer } of due) {
        try {
          const before = target.read(slice)
          const after = reducer(before, payload, { session: view })
          if (!Array.isArray(after)) throw new TypeError(`A reducer of "${slice.name}" returned no list.`)
          if (after !== before) target.write(slice, after)
        } catch (error) {
          errors.push({ slice: slice.name, error })
        }
      }
      return delivery(type, due.length, errors)
    }, only)

  const replace = (slice: Slice<unknown>, change: (values: SliceValues) => SliceValues): void =>
    layer.perform((target, policy) => {
      if (policy === undefined || slice.policy === policy) target.write(slice, change(target.read(slice)))
    })

  // Written out: with a spread in it, V8 makes this object a dictionary, and every tool call makes one.
  const session: Session = {
    id: identity.id,
    bus: identity.bus,
    parent: identity.parent,
    tags: identity.tags,
    add(slice) {
      if (typeof slice.policy !== 'string')
        throw new PromptDefinitionError('What was added to the session is no slice.', {
          hint: 'Make it with slice(name, schema).',
        })
      const before = registry.slices.get(slice.name)
      if (before === undefined) registry.slices.set(slice.name, slice)
      else known(slice)
      return session
    },
    register<T, E>(slice: Slice<T>, on: { readonly type: string } | string, reducer: Reducer<T, E>) {
      session.add(slice)
      const type = typeof on === 'string' ? on : on.type
      const list = registry.reducers.get(type) ?? []
      list.push({ slice, reducer: reducer as Reducer<unknown, unknown> })
      registry.reducers.set(type, list)
      return session
    },
    query: (slice) => queryOn(layer, slice),
    dispatch: (action) => reduce(action.type, action.payload),
    apply: (event, only) => reduce(event.type, event, only),
    collect(schema, values) {
      for (const slice of registry.slices.values())
        if (slice.schema === schema) replace(slice, (before) => values.reduce<SliceValues>(append, before))
    },
    seed(slice, values) {
      values.forEach((value) => assertFits(slice, value))
      replace(known(slice), () => [...values])
    },
    clear<T>(slice: Slice<T>, predicate?: (value: T) => boolean) {
      const matches = (predicate ?? (() => true)) as (value: unknown) => boolean
      replace(known(slice), (values) => values.filter((value) => !matches(value)))
    },
    reset: () => registry.slices.forEach((slice) => replace(slice, () => [])),
    snapshot() {
      const entries = [...registry.slices.values()]
        .map((slice) => [slice.name, layer.read(slice)] as const)
        .filter(([name, values]) => name !== PolicyFacts.name || values.length > 0)
      entries.forEach(([name, values]) => assertJson(values, `Slice "${name}"`))
      return structuredClone({
        version: 1 as const,
        sessionId: identity.id,
        createdAt: new Date().toISOString(),
        tags: identity.tags,
        slices: Object.fromEntries(entries),
      })
    },
    restore(snapshot, { keepLogs = false } = {}) {
      const read = readSnapshot(snapshot, registry.slices)
      for (const slice of registry.slices.values())
        if (!(keepLogs && slice.policy === 'log')) replace(slice, () => read.get(slice.name) ?? [])
    },
    async transaction(work) {
      const transaction = session.begin()
      const result = await Promise.resolve()
        .then(() => work(transaction.session))
        .catch((error: unknown) => {
          transaction.rollback()
          throw error
        })
      transaction.commit()
      return result
    },
    begin(label = 'The transaction') {
      const above = transactionLayer(layer, label)
      return {
        session: sessionOn(above, registry, identity),
        commit: () => above.commit(),
        rollback: (how) => above.rollback(how),
      }
    },
    fork(options = {}) {
      const copy: Registry = {
        slices: new Map(registry.slices),
        reducers: new Map([...registry.reducers].map(([type, list]) => [type, [...list]])),
      }
      const values = new Map([...registry.slices.values()].map((slice) => [slice.name, layer.read(slice)]))
      return sessionOn(rootLayer(values), copy, identify(options, session))
    },
  }
  return session
}

function assertFits<T>(slice: Slice<T>, value: T): void {
  const checked = validateNow(slice.schema, value)
  if (!checked.ok)
    throw new PromptDefinitionError(
      `A value for the slice "${slice.name}" does not fit: ${checked.message}.`,
      {
        hint: 'Seed what the schema of the slice describes.',
      },
    )
}
