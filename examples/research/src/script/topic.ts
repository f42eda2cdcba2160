export const ANGLE_KINDS = ['foundations', 'evidence', 'limits', 'side', 'other-side', 'criteria'] as const

export type AngleKind = (typeof ANGLE_KINDS)[number]

/** One part of the question, for one researcher. */
export interface Angle {
  readonly kind: AngleKind
  readonly title: string
  /** What it is about, in the user's words. */
  readonly focus: string
  readonly file: string
  readonly queries: readonly [string, string]
}

export interface Topic {
  readonly question: string
  /** The question without "please tell me how …". */
  readonly subject: string
  readonly angles: readonly Angle[]
}

/** Words that carry no subject: small words, words of asking, and verbs that any question may have. */
const STOP_WORDS = new Set(
  `a about above affect affects after all also am an and any are as at be because become becomes been before being best
  better between big both but by can cause causes change changes come could current describe did different do does doing
  done down each easy effect effects every evidence explain few find first for from get give go good great had happen
  happens has have he help helps her here him his how i if impact improve improves in increase increases into investigate
  is it its just keep know learn let like likely look made main make makes making many matter matters may me mean means
  might more most much must my need needs new no not now of off often on one or other our out over please possible pros
  cons question questions really reason reasons reduce reduces report research run runs same say says she should show so
  some still such summarise summarize take takes tell than thank thanks that the their them then there these they thing
  things think this those through to today too under up us use used uses using very vs versus want wants was way ways we
  were what when where whether which while who why will with would write year years you your hello hi hey good morning
  ok okay yes test compare comparison difference differences`.split(/\s+/),
)

/** Runs of the words that carry meaning, in the user's spelling, each once. */
export function phrasesOf(text: string): string[] {
  const phrases: string[] = []
  let run: string[] = []
  const flush = (): void => {
    const phrase = run.slice(0, 4).join(' ')
    if (phrase !== '' && !phrases.some((known) => known.toLowerCase() === phrase.toLowerCase()))
      phrases.push(phrase)
    run = []
  }
  // "How do they work" asks; "remote work" is a subject.
  const asked = text.replace(/\b(how (?:do|does|did|can|will)\b.*?)\bworks?\b/i, '$1,')
  for (const [token] of asked.matchAll(/[\p{L}\p{N}][\p{L}\p{N}'’.+#-]*|[^\p{L}\p{N}\s]/gu)) {
    const word = token.replace(/[.'’-]+$/, '')
    if (!/[\p{L}\p{N}]/u.test(word) || STOP_WORDS.has(word.toLowerCase())) flush()
    else run.push(word)
    if (token.endsWith('.')) flush()
  }
  flush()
  return phrases
}

/** What a question asks for, or undefined for small talk, in which there is nothing to look into. */
export function readTopic(question: string): Topic | undefined {
  const [first, second] = strongest(phrasesOf(question))
  if (first === undefined) return undefined
  const subject = subjectOf(question)
  const sides = sidesOf(question)
  const whole = second === undefined ? first : `${first} and ${second}`
  const parts: readonly (readonly [AngleKind, string, string])[] =
    sides === undefined
      ? [
          ['foundations', `Foundations of ${first}`, first],
          ...(second === undefined ? [] : [['evidence', `Evidence on ${second}`, second] as const]),
          ['limits', `Limits of ${whole}`, whole],
        ]
      : [
          ['side', `The case for ${sides[0]}`, sides[0]],
          ['other-side', `The case for ${sides[1]}`, sides[1]],
          ['criteria', `The choice between ${sides[0]} and ${sides[1]}`, `${sides[0]} and ${sides[1]}`],
        ]
  const angles = parts.map(([kind, title, focus], index) => angle(kind, title, focus, subject, index + 1))
  return { question: question.trim(), subject, angles }
}

/** The two phrases that say most, in the order of the question: names and pairs of words before single ones. */
function strongest(phrases: readonly string[]): string[] {
  const weight = (phrase: string): number => phrase.split(' ').length * 2 + (/\p{Lu}/u.test(phrase) ? 1 : 0)
  // Of equals the later ones: verbs come first, what they are about comes after.
  const best = phrases
    .toReversed()
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, 2)
  return phrases.filter((phrase) => best.includes(phrase))
}

function angle(kind: AngleKind, title: string, focus: string, subject: string, number: number): Angle {
  const name = slug(focus)
  const second = {
    foundations: 'how it works',
    evidence: 'data and studies',
    limits: 'problems and criticism',
    side: 'advantages and drawbacks',
    'other-side': 'strengths and weaknesses',
    criteria: 'how to choose',
  }[kind]
  return {
    kind,
    title,
    focus,
    file: name === '' ? `notes_${number}.md` : `notes_${number}_${name}.md`,
    queries: [
      focus === subject ? focus : `${focus} ${subject}`.slice(0, 120),
      `${focus} ${second}`.slice(0, 120),
    ],
  }
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 32)
    .replaceAll(/^-+|-+$/g, '')
}

function subjectOf(question: string): string {
  const line = question.trim().split('\n')[0] ?? ''
  const bare = line
    .replace(
      /^(?:(?:hi|hello|hey|please|can you|could you|would you|i want to know|i would like to know|tell me|explain|describe|research|investigate|find out|write (?:a |me a )?report (?:on|about)|about)\b[\s,:]*)+/i,
      '',
    )
    .replace(/[?!.\s]+$/, '')
  const subject = bare === '' ? line : bare
  return subject.length > 90 ? `${subject.slice(0, 90).replace(/\s+\S*$/, '')} …` : subject
}

/** "X vs Y", "X or Y", "compare X and Y", "difference between X and Y". */
function sidesOf(question: string): readonly [string, string] | undefined {
  const found =
    /(?:compare|between)\s+(.+?)\s+(?:and|with|to)\s+(.+?)(?:\s+(?:for|in|when|on|as)\b.*)?[?.!]*$/i.exec(
      question,
    ) ??
    /(?:^|[:,]\s*|\b(?:is|are|use|choose)\s+)([^:,?]+?)\s+(?:vs\.?|versus)\s+(.+?)(?:\s+(?:for|in|when|on|as)\b.*)?[?.!]*$/i.exec(
      question,
    ) ??
    // Short sides only: "or" is in many questions that do not compare.
    /^(?:should (?:i|we) (?:use|choose|take|pick)\s+)?(\S+(?:\s\S+)?)\s+or\s+(\S+(?:\s\S+)?)(?:\s+(?:for|in|when|on|as)\b.*)?[?.!]*$/i.exec(
      question.trim(),
    )
  const left = found?.[1] === undefined ? undefined : phrasesOf(found[1])[0]
  const right = found?.[2] === undefined ? undefined : phrasesOf(found[2])[0]
  return left === undefined || right === undefined ? undefined : [left, right]
}
