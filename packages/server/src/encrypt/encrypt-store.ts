import { ClewlineError, isRecord } from '@clewline/core'
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import type { Cron, CronStore, Request, Run, RunStore, Store } from '../store/store.ts'
import type { Cipher } from './cipher.ts'
import { encryptingSerde } from './encrypting-serde.ts'
import { seal, sealedText, unseal } from './sealed-json.ts'

/**
 * A store whose states, run requests and cron inputs are encrypted. What was written before there was a key is read as it
 * is. Without a key nothing is encrypted. Rejects when a run that waits cannot be decrypted: a server without its key does
 * not start, instead of ending the runs of the one before it.
 */
export async function encryptStore(store: Store, cipher: Cipher): Promise<Store> {
  for (const status of ['running', 'pending'] as const) {
    const [first] = await store.runs.unfinished(status, 1)
    const run = first === undefined ? null : await store.runs.get(first.run_id)
    if (run !== null) openRequest(run.request, cipher)
  }
  const { checkpointer } = store
  if (hasSerde(checkpointer)) checkpointer.serde = encryptingSerde(checkpointer.serde, cipher)
  else if (cipher.canEncrypt) {
    throw new ClewlineError(
      'bad-config',
      'The checkpointer of this store has no serializer to encrypt with.',
      {
        hint: 'Use a store whose checkpointer extends BaseCheckpointSaver, or encrypt in the store itself.',
      },
    )
  }
  if (!cipher.canEncrypt) return store
  return { ...store, runs: encryptRuns(store.runs, cipher), crons: encryptCrons(store.crons, cipher) }
}

function hasSerde(checkpointer: unknown): checkpointer is { serde: SerializerProtocol } {
  return isRecord(checkpointer) && isRecord(checkpointer['serde'])
}

/** A request that cannot be decrypted stays sealed: its run can be claimed, and ends with the reason. */
function encryptRuns(runs: RunStore, cipher: Cipher): RunStore {
  const opened = (run: Run | null): Run | null =>
    run === null
      ? null
      : { ...run, request: orSealed(run.request, (request) => openRequest(request, cipher)) }
  return {
    ...runs,
    insert: (run) => runs.insert({ ...run, request: sealRequest(run.request, cipher) }),
    get: async (run_id) => opened(await runs.get(run_id)),
    claim: async (worker, leaseMs, turn) => opened(await runs.claim(worker, leaseMs, turn)),
    takeOver: async (fence, worker, leaseMs) => opened(await runs.takeOver(fence, worker, leaseMs)),
    seize: async (run_id, worker, leaseMs) => opened(await runs.seize(run_id, worker, leaseMs)),
  }
}

function encryptCrons(crons: CronStore, cipher: Cipher): CronStore {
  const opened = (cron: Cron): Cron => ({
    ...cron,
    input: orSealed(cron.input, (input) => unseal(input, cipher)),
  })
  return {
    ...crons,
    insert: (cron) => crons.insert({ ...cron, input: seal(cron.input, cipher) }),
    async get(cron_id) {
      const cron = await crons.get(cron_id)
      return cron === null ? null : opened(cron)
    },
    list: async (owner, page) => (await crons.list(owner, page)).map(opened),
    due: async (limit) => (await crons.due(limit)).map(opened),
  }
}

function orSealed<T>(value: T, open: (value: T) => T): T {
  try {
    return open(value)
  } catch {
    return value
  }
}

/** Only its kind can be read: the lists of runs show it. */
function sealRequest(request: Request, cipher: Cipher): Request {
  if (!cipher.canEncrypt) return request
  const value = seal(JSON.stringify(request), cipher)
  return request.kind === 'input' ? { kind: 'input', input: value } : { kind: 'resume', answers: [{ value }] }
}

function openRequest(request: Request, cipher: Cipher): Request {
  const value = request.kind === 'input' ? request.input : request.answers[0]?.value
  if (value === undefined || sealedText(value) === null) return request
  const text = unseal(value, cipher)
  return typeof text === 'string' ? JSON.parse(text) : request
}

/** Whether a request is still encrypted, because its key is missing. */
export function isLocked(request: Request): boolean {
  return sealedText(request.kind === 'input' ? request.input : request.answers[0]?.value) !== null
}
