import { expect, test } from 'vitest'

/** The public surface. A name added here is a promise; more than 25 in an entry is a reason to ask what it is about. */
const surface: Readonly<Record<string, string>> = {
  './index.ts':
    'CallKind Completion Delta Entry Envelope EventLog Interrupt Json JsonObject Message Profile ReadOptions Sampler ClewlineError ClewlineErrorCode Todo ToolCall Usage coerce createSampler memoryLog parseEnvelope parseJsonl sample verify',
  './check/index.ts':
    'Chunks Rule Verifier VerifyOptions Violation createVerifier envelopeJsonSchema envelopeSchema foldTokens parseEnvelope parseJsonl readJsonl verify',
  './source/index.ts':
    'Answer CallPath CompletionShape CompletionSignal Draft Ending FrontendTool Ledger LedgerOptions RunConfig RunContext RunOutcome RunRequest Source SourceCheckpoint SourceDescription SourceState ThreadContext callId createLedger messageOf normalise textOf usageOf withCompletionSignal',
  './view/index.ts':
    'Call CallStatus EMPTY_VIEW File FileChange Fold Health Lane Notice PendingInterrupt Run StreamedToolCall Timeline TranscriptItem View addUsage createFold createTimeline lanes transcript',
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
  expect(names.split(' ').length).toBeLessThanOrEqual(25)
})
