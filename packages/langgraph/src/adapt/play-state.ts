import type { CallPath, Draft } from '@clewline/core/source'
import { graphCalls } from '../observe/graph-calls.ts'
import { modelCalls } from '../observe/model-calls.ts'
import { type ObservedRun, observedRun } from '../observe/observed-run.ts'
import { toolCalls } from '../observe/tool-calls.ts'
import type { IsSubagent } from '../subagent-tools.ts'
import type { GatheredMessage } from './gather-message.ts'
import type { RecordedOf } from './recorded.ts'

export interface PlayOptions {
  readonly label: string
  readonly isSubagent: IsSubagent
  /** What the run starts from, when it is known before the stream. */
  readonly input?: unknown
  /** `resume` when the stream continues calls that an earlier one left open. Default: `input`. */
  readonly kind?: 'input' | 'resume'
  readonly isOpen: (path: CallPath) => boolean
}

/** All memory of a recorded run. Each step returns the next state; one that was stepped from is not used again. */
export interface PlayState {
  readonly options: PlayOptions
  readonly observers: Observers
  /** What the observers have emitted in this step. */
  readonly outbox: Draft[]
  readonly hasBegun: boolean
  /** The stream's id of the root graph's run. */
  readonly rootId: string | undefined
  readonly hasEnded: boolean
  readonly failure: { readonly error: unknown } | null
  /** The newest checkpoint of the root graph. */
  readonly checkpointId: string
  /** Open interrupts, by their ids. */
  readonly raised: ReadonlyMap<string, { readonly id: string; readonly value: unknown }>
  /** Chains of which is not known yet whether they are graphs, by run id. */
  readonly undecided: ReadonlyMap<string, RecordedOf<'chain_start'>>
  /** Codes of the warnings that were emitted. */
  readonly warned: ReadonlySet<string>
}

/** The observers of a live run, which change in place as they do there: a recording and its run become the same envelopes. */
export interface Observers {
  readonly run: ObservedRun
  readonly graphs: ReturnType<typeof graphCalls>
  readonly tools: ReturnType<typeof toolCalls>
  readonly models: ReturnType<typeof modelCalls>
  /** Answers of the models that are streaming, by run id, for streams that never give them whole. */
  readonly answers: Map<string, GatheredMessage>
}

export function newPlay(options: PlayOptions): PlayState {
  const outbox: Draft[] = []
  return {
    options,
    observers: newObservers(options, options.kind ?? 'input', outbox),
    outbox,
    hasBegun: false,
    rootId: undefined,
    hasEnded: false,
    failure: null,
    checkpointId: '',
    raised: new Map(),
    undecided: new Map(),
    warned: new Set(),
  }
}

export function newObservers(
  { label, isSubagent, isOpen }: PlayOptions,
  kind: 'input' | 'resume',
  outbox: Draft[],
): Observers {
  const emit = (draft: Draft): void => void outbox.push(draft)
  const run = observedRun({ name: label, kind, isSubagent, emit, isOpen })
  const graphs = graphCalls(run)
  return {
    run,
    graphs,
    tools: toolCalls(run, graphs.outputOf),
    models: modelCalls(run),
    answers: new Map(),
  }
}
