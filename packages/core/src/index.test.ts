import { expect, test } from 'vitest'

/** The public surface, an entry point for each purpose. A name added here is a promise; above 25, ask what the entry is for. */
const surface: Readonly<Record<string, string>> = {
  './index.ts':
    'CallKind ClewlineError ClewlineErrorCode Completion Decision Delta Entry Envelope EventLog HTTP_STATUS Interrupt Json JsonObject Message ModelInput PROTOCOL Queue QueueOptions RawMessage ReadOptions Redactions Todo ToolCall Usage coerce createQueue isRecord memoryLog sleep within',
  './source/index.ts':
    'Answer CallPath CheckpointsPage CompletionSignal Draft DriveOptions Ending FrontendTool Ledger LedgerOptions RunConfig RunContext RunOutcome RunRequest RunUser Source SourceCheckpoint SourceDescription SourceState StreamRunOptions ThreadContext ThreadPool callId createLedger driveRun streamRun threadPool withCompletionSignal',
  './message/index.ts': 'CompletionShape addUsage isCompletion messageOf normalise textOf usageOf',
  './parts/index.ts': 'Interned NewPart Part Resolver StoredEnvelope createInterner createResolver partHash',
  './read/index.ts':
    'Chunks GROUP PROFILES Profile Sampler WINDOW_MS createSampler eachEntry firstSeq foldTokens parseEnvelope parseJsonl readJsonl withoutInputs',
  './view/index.ts':
    'Call CallStatus Calls EMPTY_VIEW File FileChange Fold Lane Notice PendingInterrupt Run StreamedToolCall Timeline TranscriptItem View answerTo callsBelow childrenOf createFold createTimeline isFolded lanes transcript',
  './check/index.ts':
    'Rule Verifier VerifyOptions Violation createVerifier envelopeJsonSchema envelopeSchema verify',
  './http/index.ts': 'BodyLimits MAX_DEPTH checkShape publicError readJson readText',
  './testing/index.ts': 'LogUnderTest eventLogConformance memoryLog',
}

async function exportsOf(entry: string): Promise<string[]> {
  const module: { default: string } = await import(/* @vite-ignore */ `${entry}?raw`)
  expect(module.default).not.toContain('export *')
  return [...module.default.matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap(([, names]) => names!.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .sort()
}

test.each(Object.entries(surface))('%s exports what it promises', async (entry, names) => {
  expect((await exportsOf(entry)).join(' ')).toBe(names)
})
