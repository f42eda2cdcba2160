import type { Usage } from '../envelope.ts'

type Counts = { -readonly [K in keyof Usage]: Usage[K] }

/** Where providers and frameworks put each count; the first that is a number is taken. */
const NAMES: Readonly<Record<CountName, readonly string[]>> = {
  input_tokens: ['input_tokens', 'prompt_tokens', 'inputTokens', 'promptTokens'],
  output_tokens: ['output_tokens', 'completion_tokens', 'outputTokens', 'completionTokens'],
  total_tokens: ['total_tokens', 'totalTokens'],
  cached_tokens: [
    'cached_tokens',
    'input_token_details.cache_read',
    'prompt_tokens_details.cached_tokens',
    'cache_read_input_tokens',
  ],
  reasoning_tokens: [
    'reasoning_tokens',
    'output_token_details.reasoning',
    'completion_tokens_details.reasoning_tokens',
  ],
}

type CountName = 'input_tokens' | 'output_tokens' | 'total_tokens' | 'cached_tokens' | 'reasoning_tokens'

/** Token counts in any of the forms that providers use. What is not said is left out, not zero. */
export function usageOf(value: unknown): Usage {
  const usage: Counts = {}
  for (const count of COUNTS) {
    for (const name of NAMES[count]) {
      const found = at(value, name)
      if (typeof found !== 'number' || !Number.isFinite(found)) continue
      usage[count] = found
      break
    }
  }
  return usage
}

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cached_tokens',
  'reasoning_tokens',
] as const satisfies readonly CountName[]

/** The field at a dotted path. */
export function at(value: unknown, path: string): unknown {
  let found = value
  for (const key of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = Reflect.get(found, key)
  }
  return found
}
