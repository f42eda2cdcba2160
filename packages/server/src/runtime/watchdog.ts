import type { Envelope } from '@clewline/core'
import type { CallPath, Draft } from '@clewline/core/source'

interface Watched {
  readonly path: CallPath
  readonly agent: string
  readonly name: string
  seenAt: number
  isWarned: boolean
}

/** Notices calls of one run that have gone silent. Pure but for the time it is given. */
export interface Watchdog {
  /** A draft and what the ledger made of it: itself last, before it the ends of calls that it took along. */
  note(draft: Draft, envelopes: readonly Envelope[], now: number): void
  /** A warning for each open call that has been silent too long, once per silence. */
  check(now: number): readonly Draft[]
}

/** `silentMs` without a sign makes a call silent. A call with open calls below it waits for them: it is not silent. */
export function createWatchdog(silentMs: number): Watchdog {
  const open = new Map<string, Watched>()

  function hasOpenBelow(path: CallPath): boolean {
    for (const other of open.values()) {
      if (other.path.length > path.length && path.every((segment, i) => other.path[i] === segment))
        return true
    }
    return false
  }

  return {
    note(draft, envelopes, now) {
      const envelope = envelopes.at(-1)
      if (envelope === undefined) return
      for (const taken of envelopes.slice(0, -1)) open.delete(taken.call_id)
      switch (draft.type) {
        case 'tool_start':
        case 'llm_start':
          open.set(envelope.call_id, {
            path: draft.path,
            agent: draft.agent,
            name: draft.type === 'tool_start' ? draft.payload.tool_name : draft.payload.model,
            seenAt: now,
            isWarned: false,
          })
          return
        case 'tool_end':
        case 'llm_end':
        case 'error':
          open.delete(envelope.call_id)
          return
        case 'tool_update':
        case 'llm_token':
        case 'subgraph_checkpoint':
        case 'subgraph_resume':
        case 'warning': {
          const call = open.get(envelope.call_id)
          if (call === undefined || draft.type === 'warning') return
          call.seenAt = now
          call.isWarned = false
        }
      }
    },
    check(now) {
      const drafts: Draft[] = []
      for (const call of open.values()) {
        const silent = now - call.seenAt
        if (call.isWarned || silent < silentMs || hasOpenBelow(call.path)) continue
        call.isWarned = true
        drafts.push({
          type: 'warning',
          path: call.path,
          agent: call.agent,
          payload: {
            code: 'silent-call',
            message: `"${call.name}" has said nothing for ${Math.round(silent / 1000)} s.`,
            silent_seconds: Math.round(silent / 1000),
          },
        })
      }
      return drafts
    },
  }
}
