/** One event of a recorded stream, normalised over the forms of recording. Ids are the stream's own run ids, or made up. */
export type Recorded =
  | {
      readonly type: 'chain_start'
      readonly id: string
      readonly parentId: string | undefined
      readonly name: string
      /** `unknown`: it is a graph if a node starts in it. */
      readonly is: 'graph' | 'node' | 'unknown'
      readonly metadata: Readonly<Record<string, unknown>>
      readonly input: unknown
    }
  | { readonly type: 'chain_end'; readonly id: string; readonly output: unknown }
  | { readonly type: 'chain_error'; readonly id: string; readonly error: unknown }
  | {
      readonly type: 'model_start'
      readonly id: string
      readonly parentId: string | undefined
      readonly name: string
      readonly metadata: Readonly<Record<string, unknown>>
      /** What the model was asked, where the stream has it. */
      readonly messages: readonly unknown[] | undefined
    }
  | { readonly type: 'model_token'; readonly id: string; readonly message: unknown }
  | { readonly type: 'model_end'; readonly id: string; readonly message: unknown; readonly usage?: unknown }
  | { readonly type: 'model_error'; readonly id: string; readonly error: unknown }
  | {
      readonly type: 'tool_start'
      readonly id: string
      readonly parentId: string | undefined
      readonly name: string
      readonly input: unknown
      /** Undefined when the stream does not say; then it is looked for in what the model asked. */
      readonly toolCallId: string | undefined
    }
  | { readonly type: 'tool_event'; readonly id: string; readonly data: unknown }
  | { readonly type: 'tool_end'; readonly id: string; readonly output: unknown }
  | { readonly type: 'tool_error'; readonly id: string; readonly error: unknown }
  /** Raised inside the run `id`. Deduped by interrupt id: streams repeat it at every level. */
  | { readonly type: 'interrupt'; readonly id: string | undefined; readonly interrupts: readonly unknown[] }
  /** The thread is resumed after an interrupt: everything from here is another run of the same calls. */
  | { readonly type: 'resume' }
  | {
      readonly type: 'state'
      readonly id: string
      readonly checkpointId: string | undefined
      readonly node: string
      readonly values: unknown
      readonly step: number
      /** True for the state that a graph starts from; undefined when the stream does not say. */
      readonly isStart: boolean | undefined
    }
  | { readonly type: 'custom'; readonly id: string; readonly data: unknown }
  | { readonly type: 'cached'; readonly id: string; readonly data: unknown }
  /** What the stream cannot say, or what of it could not be read. Deduped by code. */
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** The run failed as a whole. */
  | { readonly type: 'failure'; readonly error: unknown }

/** One kind of recorded event. */
export type RecordedOf<T extends Recorded['type']> = Extract<Recorded, { type: T }>

/** Reads one event of a stream. Null when it is not of this form. */
export type RecordedReader = (event: unknown) => readonly Recorded[] | null
