import type { View } from '@skein/core/view'
import { useEffect, useState } from 'react'
import type { ThreadActions } from '../store/thread-session.ts'

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * Files that a person changed in the thread's state since the agent last ran. The log tells what agents do, so an edit
 * is not in it until the next run; the state has it, on every device.
 */
export function useEditedFiles(
  actions: ThreadActions | undefined,
  view: View,
  isLive: boolean,
): { readonly edited: ReadonlyMap<string, string>; readonly refresh: () => Promise<void> } {
  const [stored, setStored] = useState(NONE)
  const isIdle = isLive && ![...view.runs.values()].some(({ status }) => status === 'running')
  const moment = isIdle ? view.position : null

  async function refresh(): Promise<void> {
    setStored(new Map(Object.entries((await actions?.readFiles()) ?? {})))
  }
  useEffect(() => {
    if (actions === undefined || moment === null) return
    let isCurrent = true
    actions
      .readFiles()
      .then((files) => {
        if (isCurrent) setStored(new Map(Object.entries(files)))
      })
      // A thread whose agent keeps no state has nothing to edit either.
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [actions, moment])

  const edited = new Map([...stored].filter(([name, content]) => view.files.get(name)?.content !== content))
  return { edited: isIdle ? edited : NONE, refresh }
}
