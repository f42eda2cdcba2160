import { isRecord, type Json } from '@clewline/core'
import { redactedMark, type Redact } from './redact.ts'
import { isCard, isSecretField, withoutSecrets } from './secret-patterns.ts'

/**
 * Ready-made: API keys, bearer tokens, JWTs, private keys, passwords in URLs, what stands after a name such as `password` or
 * `api_key`, card numbers and e-mail addresses, in texts, names of fields and numbers. What has none of them is given back
 * as it is, the same object. It goes by looks: a secret that looks like a word is not found.
 */
export const redactSecrets: Redact = (value) => clean(value)

/** Memoised by object: a message that is sent with each of a hundred calls is looked at once. */
const known = new WeakMap<object, Json>()

function clean(value: Json): Json {
  if (typeof value === 'string') return withoutSecrets(value)
  if (typeof value === 'number') return isCardNumber(value) ? redactedMark('card') : value
  if (typeof value !== 'object' || value === null) return value
  const found = known.get(value)
  if (found !== undefined) return found
  const cleaned = isRecord(value) ? cleanFields(value) : cleanItems(Object.values(value), value)
  known.set(value, cleaned)
  return cleaned
}

function cleanItems(items: readonly Json[], same: Json): Json {
  const cleaned = items.map(clean)
  return cleaned.some((item, i) => item !== items[i]) ? cleaned : same
}

function cleanFields(value: Readonly<Record<string, Json>>): Json {
  let isSame = true
  const fields = Object.entries(value).map(([key, field]): [string, Json] => {
    const name = withoutSecrets(key)
    const isSecret = typeof field === 'string' && isSecretField(key, field)
    const cleaned = isSecret ? redactedMark('secret') : clean(field)
    if (name !== key || cleaned !== field) isSame = false
    return [name, cleaned]
  })
  return isSame ? value : Object.fromEntries(fields)
}

function isCardNumber(value: number): boolean {
  return Number.isSafeInteger(value) && value > 1e13 && isCard(String(value))
}
