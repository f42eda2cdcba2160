import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import type { LLMResult } from '@langchain/core/outputs'
import { type Envelope, isRecord } from '@clewline/core'
import { describe, expect, test } from 'vitest'
import { messageFrom, toolResultFrom } from '../record/index.ts'
import { scenarios } from '../testing/scenarios.ts'

/** Keeps what models and tools returned, at the moment when they did: reducers change messages in place. */
class Originals extends BaseCallbackHandler {
  override name = 'Originals'
  override awaitHandlers = true
  readonly answers: string[] = []
  readonly results: string[] = []

  override handleLLMEnd({ generations }: LLMResult): void {
    const generation = generations[0]?.[0]
    if (generation !== undefined && 'message' in generation) this.answers.push(asText(generation.message))
  }

  override handleToolEnd(output: unknown): void {
    this.results.push(asText(output))
  }
}

describe('every answer and every result of the goldens can be made again from the record', () => {
  test.each(Object.entries(scenarios))('%s', async (_, run) => {
    const originals = new Originals()
    const envelopes = await run({ config: { callbacks: [originals] } })
    expect(answersIn(envelopes)).toEqual(originals.answers.sort())
    expect(resultsIn(envelopes)).toEqual(originals.results.sort())
  })
})

function answersIn(envelopes: readonly Envelope[]): readonly string[] {
  return envelopes
    .flatMap((one) =>
      one.type === 'llm_end' && one.payload.raw !== undefined ? asText(messageFrom(one.payload.raw)) : [],
    )
    .sort()
}

function resultsIn(envelopes: readonly Envelope[]): readonly string[] {
  const asked = new Map<string, string | undefined>()
  return envelopes
    .flatMap((one) => {
      if (one.type === 'tool_start' && one.payload.args !== undefined)
        asked.set(one.call_id, one.payload.meta?.tool_call_id)
      if (one.type !== 'tool_end' || one.payload.status !== 'ok' || !asked.has(one.call_id)) return []
      return asText(toolResultFrom({ ...one.payload, tool_call_id: asked.get(one.call_id) }))
    })
    .sort()
}

/** Classes by their names, every field, keys in order. */
function asText(value: unknown): string {
  return JSON.stringify(plain(value))
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isRecord(value)) return value
  const fields = Object.keys(value).sort()
  const known = fields.filter((name) => name !== 'lc_kwargs' && value[name] !== undefined)
  return [value.constructor.name, ...known.map((name) => [name, plain(value[name])])]
}
