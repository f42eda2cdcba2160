import type { Append, Store } from '../store/store.ts'
import type { Aim, Window } from './aim.ts'

type Call = (...args: unknown[]) => unknown
/** The windows that a call of a method opens; `answer` is what it resolved with, for those that only the answer shows. */
type WindowsOf = (args: readonly unknown[], answer?: unknown) => readonly Window[]

/**
 * A store in which the process dies, as by `kill -9`, at the write that it is aimed at. Every write goes through one of
 * the store's methods, so that the windows are between what the server itself does, and no product code knows of them.
 */
export function deadlyStore(store: Store, aim: Aim): Store {
  let seen = 0

  function isHit(windows: readonly Window[]): boolean {
    if (!windows.includes(aim.window)) return false
    seen += 1
    return seen === aim.nth
  }

  function deadly<T extends object>(part: T, methods: Readonly<Record<string, WindowsOf>>): T {
    return new Proxy(part, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key, target)
        if (typeof member !== 'function') return member
        const call: Call = (...args) => Reflect.apply(member, target, args)
        const windowsOf = typeof key === 'string' ? methods[key] : undefined
        return windowsOf === undefined ? call : (...args: unknown[]) => shoot(call, args, windowsOf)
      },
    })
  }

  async function shoot(call: Call, args: readonly unknown[], windowsOf: WindowsOf): Promise<unknown> {
    const windows = windowsOf(args)
    const hit = isHit(windows)
    if (hit && aim.moment === 'before') return await die()
    const answering = call(...args)
    if (hit && aim.moment === 'during') return await die()
    const answer = await answering
    if (hit) return await die()
    // A claim that found a run shows only by its answer.
    if (windows.length === 0 && isHit(windowsOf(args, answer))) return await die()
    return answer
  }

  const checkpoints = checkpointWindows()
  return {
    ...store,
    checkpointer: deadly(objectOf(store.checkpointer), {
      put: ([config]) => checkpoints.put(config),
      putWrites: ([config, writes]) => checkpoints.putWrites(config, writes),
      deleteThread: () => ['delete'],
    }),
    segments: deadly(store.segments, {
      append: ([appends]) => (isSettling(appends) ? ['settle', 'log-commit'] : ['log-commit']),
      remove: () => ['delete'],
    }),
    threads: deadly(store.threads, { remove: () => ['delete'] }),
    runs: deadly(store.runs, {
      insert: () => ['accept'],
      begin: () => ['begin'],
      claim: (_args, answer) => (answer === undefined || answer === null ? [] : ['claim']),
    }),
  }
}

/** As by `kill -9`: nothing is flushed, nothing is closed, and whatever awaits this never goes on. */
function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

function isSettling(appends: unknown): boolean {
  return (appends as readonly Append[]).some(({ settle }) => settle !== undefined)
}

interface CheckpointWindows {
  put(config: unknown): readonly Window[]
  putWrites(config: unknown, writes: unknown): readonly Window[]
}

/** Knows which threads have a sub-graph whose states the graph above it has not taken over yet. */
function checkpointWindows(): CheckpointWindows {
  const open = new Set<string>()

  function isParentWrite(config: unknown): boolean {
    const { thread, namespace } = placeOf(config)
    return namespace === '' && open.delete(thread)
  }

  return {
    put(config) {
      const { thread, namespace } = placeOf(config)
      if (namespace === '') return ['checkpoint', ...(isParentWrite(config) ? ['parent-write' as const] : [])]
      open.add(thread)
      return ['checkpoint', 'sub-checkpoint']
    },
    putWrites(config, writes) {
      const isQuestion = (writes as readonly (readonly unknown[])[]).some(
        ([channel]) => channel === '__interrupt__',
      )
      return [
        'writes',
        ...(isQuestion ? ['question' as const] : []),
        ...(isParentWrite(config) ? ['parent-write' as const] : []),
      ]
    },
  }
}

function placeOf(config: unknown): { readonly thread: string; readonly namespace: string } {
  const { configurable } = config as {
    readonly configurable?: { readonly thread_id?: string; readonly checkpoint_ns?: string }
  }
  return { thread: configurable?.thread_id ?? '', namespace: configurable?.checkpoint_ns ?? '' }
}

function objectOf(checkpointer: unknown): object {
  if (typeof checkpointer === 'object' && checkpointer !== null) return checkpointer
  throw new Error('The store has no checkpointer to aim at.')
}
