import { createClient, type Client } from '@clewline/client'
import type { Profile } from '@clewline/core/read'
import { useEffect, useMemo } from 'react'
import { useStore } from 'zustand'
import { threadSession, type ThreadActions } from './thread-session.ts'
import type { ThreadState, ThreadStore } from './thread-store.ts'

/** Where the thread is, and how closely to follow it. */
export interface UseThreadOptions {
  /** The server. Default: where the page came from, without a token. */
  readonly client?: Client
  /** Makes the thread for this agent when it is not there yet. */
  readonly agent?: string
  /** `user` joins tokens into 50 ms pieces; `debug` brings every envelope. */
  readonly profile?: Profile
}

/** What is known of the thread now, and what can be done to it. */
export interface UsedThread extends ThreadState {
  /** Send, answer, stop, write a file. */
  readonly actions: ThreadActions
  /** Shows the thread after its first `n` envelopes; null follows live. */
  readonly seek: (n: number | null) => void
  readonly store: ThreadStore
}

const samePage = createClient()

/** A thread, live: rerenders at most once a frame, resumes by itself, ends with the component. */
export function useThread(thread: string, options: UseThreadOptions = {}): UsedThread {
  const { client = samePage, profile = 'user', agent } = options
  const session = useMemo(
    () => threadSession(client, thread, profile, agent === undefined ? undefined : { agent }),
    [agent, client, thread, profile],
  )
  useEffect(() => session.start(), [session])
  const { store, actions } = session
  const state = useStore(store)
  return { ...state, actions, seek: store.seek, store }
}
