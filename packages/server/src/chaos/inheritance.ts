import { type Client, ClewlineError } from '@clewline/client'
import { type Conversation, converse, isInterruption, newConversation } from './conversation.ts'

/** A thread that its owner deletes, and that another owner then makes under the same id: there is nothing to inherit. */
export interface Inheritance {
  readonly left: Conversation
  readonly heir: Conversation
  isDeleted: boolean
}

export function newInheritance(thread_id: string): Inheritance {
  return {
    left: newConversation('counter', thread_id),
    heir: { ...newConversation('counter', thread_id), run_id: `${thread_id}-heir` },
    isDeleted: false,
  }
}

export async function inherit(
  { alice, bob }: { readonly alice: Client; readonly bob: Client },
  one: Inheritance,
  signal: AbortSignal,
  random: () => number,
): Promise<void> {
  if (!one.left.isOver) await converse(alice, one.left, signal, random)
  if (one.left.isOver && !one.isDeleted) await remove(alice, one, signal)
  if (one.isDeleted && !one.heir.isOver) await converse(bob, one.heir, signal, random)
}

async function remove(alice: Client, one: Inheritance, signal: AbortSignal): Promise<void> {
  try {
    await alice.threads.delete(one.left.thread_id)
    one.isDeleted = true
  } catch (error) {
    // The reply to an earlier request was lost, but not the request.
    if (error instanceof ClewlineError && error.code === 'not-found') one.isDeleted = true
    else if (!isInterruption(error, signal)) throw error
  }
}
