import type { Usage } from '@clewline/core'
import { z } from 'zod'
import { LanguageModelError, type ModelEvent } from './language-model.ts'

/**
 * Chat-completion chunks as model events. A stream that ends without a finish reason was cut: that is an error, never
 * a short answer.
 */
export async function* readCompletionChunks(
  events: AsyncIterable<{ readonly data: string }>,
): AsyncGenerator<ModelEvent, void> {
  const names = new Map<number, { id: string; name: string; isNamed: boolean }>()
  let finish: string | undefined
  let usage: Usage = {}
  for await (const { data } of events) {
    if (data === '[DONE]') break
    const chunk = parseChunk(data)
    if (chunk.error !== undefined) throw new LanguageModelError(`The model failed: ${chunk.error.message}`)
    if (chunk.usage !== undefined && chunk.usage !== null) usage = usageOf(chunk.usage)
    const choice = chunk.choices?.[0]
    if (choice === undefined) continue
    const delta = choice.delta ?? {}
    const reasoning = delta.reasoning_content ?? delta.reasoning
    if (reasoning) yield { type: 'reasoning', delta: reasoning }
    if (delta.content) yield { type: 'text', delta: delta.content }
    for (const [position, piece] of (delta.tool_calls ?? []).entries()) {
      const index = piece.index ?? position
      const call = names.get(index) ?? { id: '', name: '', isNamed: false }
      names.set(index, call)
      if (piece.id) call.id = piece.id
      if (piece.function?.name) call.name += piece.function.name
      if (!call.isNamed && call.name !== '') {
        call.isNamed = true
        yield { type: 'tool_name', index, id: call.id, name: call.name }
      }
      if (piece.function?.arguments) yield { type: 'tool_args', index, delta: piece.function.arguments }
    }
    if (choice.finish_reason) finish = choice.finish_reason
  }
  if (finish === undefined) throw new LanguageModelError('The model broke off before the end of its answer.')
  yield { type: 'end', finish_reason: finish, usage }
}

const Chunk = z.object({
  error: z.object({ message: z.string() }).optional(),
  usage: z
    .object({
      prompt_tokens: z.number().optional(),
      completion_tokens: z.number().optional(),
      total_tokens: z.number().optional(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
      completion_tokens_details: z.object({ reasoning_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        delta: z
          .object({
            content: z.string().nullish(),
            reasoning: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.number().int().optional(),
                  id: z.string().nullish(),
                  function: z
                    .object({ name: z.string().nullish(), arguments: z.string().nullish() })
                    .nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
      }),
    )
    .optional(),
})
type Chunk = z.infer<typeof Chunk>

function parseChunk(data: string): Chunk {
  let json: unknown
  try {
    json = JSON.parse(data)
  } catch (cause) {
    throw new LanguageModelError(`The model sent something that is not JSON: ${data.slice(0, 200)}`, {
      cause,
    })
  }
  const parsed = Chunk.safeParse(json)
  if (parsed.success) return parsed.data
  throw new LanguageModelError(`The model sent a chunk that cannot be read: ${z.prettifyError(parsed.error)}`)
}

function usageOf(usage: NonNullable<Chunk['usage']>): Usage {
  const cached = usage.prompt_tokens_details?.cached_tokens
  const reasoning = usage.completion_tokens_details?.reasoning_tokens
  return {
    ...(usage.prompt_tokens !== undefined && { input_tokens: usage.prompt_tokens }),
    ...(usage.completion_tokens !== undefined && { output_tokens: usage.completion_tokens }),
    ...(usage.total_tokens !== undefined && { total_tokens: usage.total_tokens }),
    ...(typeof cached === 'number' && { cached_tokens: cached }),
    ...(typeof reasoning === 'number' && { reasoning_tokens: reasoning }),
  }
}
