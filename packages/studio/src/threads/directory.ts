import type { Agent, Change, Client, Run, ServiceInfo, Thread } from '@clewline/client'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { refusedBy, type Connection } from '../connection/connection.ts'
import { explain } from '../connection/explain.ts'
import { newestFirst } from './newest-first.ts'

interface DirectoryState {
  /** What the list shows: a page or more of all threads, or of those that a search found. */
  readonly threads: readonly Thread[]
  /** Every thread that is known, in the list or not, as it is now. */
  readonly known: ReadonlyMap<string, Thread>
  readonly next: string | null
  readonly query: string
  readonly agents: readonly Agent[]
  readonly info: ServiceInfo | null
  readonly isLoaded: boolean
  /** Why the server could not be asked; empty when it could. */
  readonly problem: string
  readonly status: Connection
  /** Counts changes of crons and runs, so that lists of them know when to ask again. */
  readonly changes: number
}

/** The service at a glance: its threads, live, and what it can run. */
export interface Directory extends StoreApi<DirectoryState> {
  readonly search: (query: string) => void
  readonly more: () => Promise<void>
  readonly refresh: () => Promise<void>
  /** A thread that this page made or renamed. */
  readonly put: (thread: Thread) => void
  readonly drop: (thread_id: string) => void
  /** Asks for a thread that no list has brought. */
  readonly learn: (thread_id: string) => Promise<void>
  readonly start: () => () => void
}

/** `finished` is called once for each run that ends, or waits for an answer, from now on. */
export function createDirectory(client: Client, finished: (run: Run) => void): Directory {
  const store = createStore<DirectoryState>(() => ({
    threads: [],
    known: new Map(),
    next: null,
    query: '',
    agents: [],
    info: null,
    isLoaded: false,
    problem: '',
    status: { type: 'connecting' },
    changes: 0,
  }))
  const over = new Set<string>()

  function remember(threads: readonly Thread[]): void {
    const known = new Map(store.getState().known)
    for (const thread of threads) known.set(thread.thread_id, thread)
    store.setState({ known })
  }
  function put(thread: Thread): void {
    remember([thread])
    const others = store.getState().threads.filter(({ thread_id }) => thread_id !== thread.thread_id)
    const threads = newestFirst([...others, thread])
    store.setState({ threads })
  }
  function drop(thread_id: string): void {
    store.setState(({ threads, known }) => ({
      threads: threads.filter((thread) => thread.thread_id !== thread_id),
      known: new Map([...known].filter(([id]) => id !== thread_id)),
    }))
  }
  async function refresh(): Promise<void> {
    const { query } = store.getState()
    try {
      const [page, agents, info] = await Promise.all([
        client.threads.list({ query }),
        client.agents(),
        client.info(),
      ])
      remember(page.threads)
      if (store.getState().query !== query) return
      store.setState({ threads: page.threads, next: page.next, agents, info, isLoaded: true, problem: '' })
    } catch (error) {
      store.setState({ problem: explain(error).message, isLoaded: true })
    }
  }
  /** Whether a search has a title or not is for the server to say; what it has found stays up to date. */
  function isListed({ thread_id }: Thread): boolean {
    const { query, threads } = store.getState()
    return query === '' || threads.some((thread) => thread.thread_id === thread_id)
  }
  function noteChange(): void {
    store.setState(({ changes }) => ({ changes: changes + 1 }))
  }
  function noteRun(run: Run): void {
    noteChange()
    if (run.status === 'pending' || run.status === 'running' || over.has(run.run_id)) return
    over.add(run.run_id)
    finished(run)
  }
  function apply(change: Change): void {
    switch (change.type) {
      case 'run':
        return noteRun(change.run)
      case 'cron':
        return noteChange()
      case 'thread_removed':
        return drop(change.thread_id)
      case 'thread':
        return isListed(change.thread) ? put(change.thread) : remember([change.thread])
    }
  }
  function connect(status: Connection): void {
    store.setState({ status })
    // Changes are not logged: those of the time without a connection are missed.
    if (status.type === 'live' || status.type === 'refused') void refresh()
    else if (status.type === 'retrying') store.setState({ problem: status.why, isLoaded: true })
  }
  async function follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const change of client.changes({ signal, onStatus: connect })) apply(change)
    } catch (error) {
      connect(refusedBy(error))
    }
  }

  return {
    ...store,
    put,
    drop,
    refresh,
    async learn(thread_id) {
      if (store.getState().known.has(thread_id)) return
      try {
        remember([await client.threads.get(thread_id)])
      } catch {
        // The stream of the thread says why.
      }
    },
    search(query) {
      store.setState({ query })
      void refresh()
    },
    async more() {
      const { next, query, threads } = store.getState()
      if (next === null) return
      try {
        const page = await client.threads.list({ query, before: next })
        remember(page.threads)
        const listed = new Set(threads.map(({ thread_id }) => thread_id))
        const older = page.threads.filter(({ thread_id }) => !listed.has(thread_id))
        store.setState({ threads: [...threads, ...older], next: page.next })
      } catch (error) {
        store.setState({ problem: explain(error).message })
      }
    },
    start() {
      const stopping = new AbortController()
      void follow(stopping.signal)
      return () => stopping.abort()
    },
  }
}
