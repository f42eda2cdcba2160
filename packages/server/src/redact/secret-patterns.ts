import { redactedMark } from './redact.ts'

/** Names after which a value is a secret whatever it looks like. */
const SECRET_NAME = 'pass(?:word|wd|phrase)|secret|client[-_ ]?secret|authorization'
/** Names after which a value is a secret if it looks random: a "token" may also be a word. */
const KEY_NAME = `api[-_ ]?key|apikey|access[-_ ]?key(?:[-_ ]?id)?|private[-_ ]?key|secret[-_ ]?(?:access[-_ ]?)?key|credentials?|token`

const secretName = new RegExp(`(?:^|[-_. ])(?:${SECRET_NAME})$`, 'i')
const keyName = new RegExp(`(?:${KEY_NAME})$`, 'i')
/** `name: value`, `name=value`, `"name":"value"`, also inside a JSON text in a JSON text. */
const assignment = new RegExp(
  String.raw`((?:(?<![a-z])(?:${SECRET_NAME})|(${KEY_NAME}))[\\"'\x60]{0,4}\s{0,4}(?:[:=]|=>)\s{0,4}[\\"'\x60]{0,4})([^\s"'\x60\\,;&<>(){}[\]]{4,})`,
  'gi',
)

/** An array of rules, in order: the more specific first. Each is linear in the length of the text. */
const RULES: readonly (readonly [kind: string, pattern: RegExp])[] = [
  // One that is not over is one, too: in a stream its end comes later.
  [
    'private-key',
    /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  ],
  ['jwt', /\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g],
  ['bearer', /(?<=\bbearer\s{1,4})[\w.~+/=-]{8,}/gi],
  ['basic', /(?<=\bauthorization[\s"'\\:]{1,8}basic\s{1,4})[\w+/=-]{8,}/gi],
  ['api-key', /\b(?:sk|pk|rk)[-_][\w-]{16,}/g],
  ['api-key', /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,})/g],
  ['api-key', /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g],
  ['api-key', /\b(?:AIza[\w-]{30,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|lsv2_[a-z]{2}_\w{20,})/g],
  ['password', /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,64}:)[^\s@/]{1,256}(?=@)/gi],
]

const EMAIL = /[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu
const DIGITS = /(?<![\w.])\d(?:[ -]?\d){13,}(?!\w)/g

/** A text without the secrets that are known by their looks. */
export function withoutSecrets(text: string): string {
  // Shorter than the shortest secret.
  if (text.length < 6) return text
  let out = text
  for (const [kind, pattern] of RULES) out = out.replace(pattern, redactedMark(kind))
  out = out.replace(assignment, (all, before: string, isKey: string | undefined, value: string) =>
    (isKey === undefined ? looksSet(before, value) : looksRandom(value))
      ? `${before}${redactedMark('secret')}`
      : all,
  )
  out = out.replace(DIGITS, withoutCards)
  return out.includes('@') ? out.replace(EMAIL, redactedMark('email')) : out
}

/** Whether the field of this name holds a secret. */
export function isSecretField(name: string, value: string): boolean {
  if (value === '') return false
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2')
  return secretName.test(spaced) || (keyName.test(spaced) && looksRandom(value))
}

/** In prose a word may follow ("password: required"); what is assigned, or has more than letters, is a value. */
const looksSet = (before: string, value: string): boolean => before.includes('=') || /[^a-z.!?]/i.test(value)

/** Sixteen characters or more of which no word is made: letters and digits, and few of them twice. */
function looksRandom(value: string): boolean {
  if (value.length < 16 || /\s/.test(value) || !/\d/.test(value) || !/[a-z]/i.test(value)) return false
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits >= 3
}

/** Other groups of digits may stand beside a card number: each row of groups that has its length is looked at. */
function withoutCards(digits: string): string {
  const groups = digits.split(/([ -])/)
  let out = ''
  for (let from = 0; from < groups.length; from += 2) {
    const end = endOfCard(groups, from)
    out += end === null ? groups[from]! : redactedMark('card')
    if (end !== null) from = end
    out += groups[from + 1] ?? ''
  }
  return out
}

/** The last of the groups that are a card number together; null when they are none. */
function endOfCard(groups: readonly string[], from: number): number | null {
  let number = ''
  for (let end = from; end < groups.length && number.length < 19; end += 2) {
    number += groups[end]
    if (isCard(number)) return end
  }
  return null
}

const ISSUER = /^(?:4|5[1-5]|2[2-7]|3[0-9]|6[0-9])/

/** By the issuer's first digits, the length and the check digit (Luhn). */
export function isCard(digits: string): boolean {
  if (digits.length < 14 || digits.length > 19 || !ISSUER.test(digits)) return false
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const counted = i % 2 === 0 ? digit : digit * 2
    sum += counted > 9 ? counted - 9 : counted
  }
  return sum % 10 === 0
}
