import type { PlayState } from './play-state.ts'
import type { RecordedOf } from './recorded.ts'

/** LangChain's class path of a compiled graph. */
const GRAPH = ['langgraph', 'pregel']

/** Starts a chain. Whether it is a graph is decided when its first inner chain starts: that of a graph is a node. */
export async function startChain(state: PlayState, event: RecordedOf<'chain_start'>): Promise<PlayState> {
  const { run, graphs } = state.observers
  const { scopes } = run.calls
  // Dedupe: a run has its id to itself, so a second start is a line that was written twice.
  if (scopes.has(event.id)) return state
  const rootId = state.rootId ?? event.id
  const undecided = new Map(state.undecided)
  const next: PlayState = { ...state, rootId, undecided }
  const parent = event.parentId === undefined ? undefined : undecided.get(event.parentId)
  if (parent !== undefined) {
    undecided.delete(parent.id)
    await graphs.start({ ...parent, isHidden: false, classPath: event.is === 'node' ? GRAPH : [] })
  }
  if (event.is === 'unknown' && event.id !== rootId) {
    undecided.set(event.id, event)
    // What is not a graph shares the scope around it; a graph replaces it when its first node comes.
    const around = scopes.get(event.parentId ?? '')
    if (around !== undefined) scopes.set(event.id, around)
    return next
  }
  await graphs.start({ ...event, isHidden: false, classPath: event.is === 'node' ? [] : GRAPH })
  return next
}
