import { knownFindings, type Findings } from './dossier.ts'
import type { Angle, AngleKind } from './topic.ts'

/** A result that the search really returned. */
export interface Finding {
  readonly title: string
  readonly url: string
}

/** Reads back what `internet_search` answered. */
export function findingsIn(answer: string): Finding[] {
  return [...answer.matchAll(/^\d+\. (.+) — (https?:\/\/\S+)$/gm)].flatMap(([, title, url]) =>
    title === undefined || url === undefined ? [] : [{ title, url }],
  )
}

const POINTS: Record<AngleKind, (focus: string) => readonly string[]> = {
  foundations: (focus) => [
    `Fix the terms first: people mean different things by "${focus}", and half of the disagreement is about words.`,
    `Separate the parts of ${focus} that are settled from those that are still moving.`,
    `Ask what ${focus} would replace: the honest comparison is with what people do today, not with nothing.`,
  ],
  evidence: (focus) => [
    `Prefer measurements over announcements: for ${focus}, the figures in practice are usually below those in brochures.`,
    `Note where each figure on ${focus} was taken; results rarely travel unchanged to another setting.`,
    `Look for who paid for a study, and for whether anybody has repeated it.`,
  ],
  limits: (focus) => [
    `Name the conditions under which the promise of ${focus} breaks down, before somebody else does.`,
    `Count the cost of being wrong about ${focus}: a cheap mistake may be made, a dear one must be studied.`,
    `Keep a list of what nobody knows yet; it is the most useful part of a report on ${focus}.`,
  ],
  side: (focus) => [
    `State the best case for ${focus} as its friends would, then check which part of it carries over.`,
    `List what people need who choose ${focus}: skills, time, money.`,
    `Note what is hard to undo after a choice for ${focus}.`,
  ],
  'other-side': (focus) => [
    `Ask those who left ${focus} why they did; it tells more than those who stayed.`,
    `Look at the second year with ${focus}: the first shows the promise, the second shows the upkeep.`,
    `Check which of its strengths are needed here at all.`,
  ],
  criteria: (focus) => [
    `Decide by the few criteria that differ between ${focus}; on the others they are the same.`,
    `Weigh each criterion before looking at the options, or the favourite will choose its own yardstick.`,
    `Ask which choice is easier to change later, and give that a price.`,
  ],
}

const PARAGRAPH: Record<AngleKind, (focus: string) => string> = {
  foundations: (focus) =>
    `Most confusion about ${focus} goes away once the terms are fixed and the settled parts are kept apart from the moving ones. What counts in the end is what changes for people, compared with what they do today, and not how it works inside.`,
  evidence: (focus) =>
    `The evidence on ${focus} is uneven: it is strong where somebody had to pay for the outcome, and thin where success was only announced. Figures should be read together with the setting in which they were taken.`,
  limits: (focus) =>
    `With ${focus}, the limits matter as much as the promise: under which conditions results hold, what a mistake costs, and what has not been tried yet. A decision should say how it would notice that it was wrong.`,
  side: (focus) =>
    `The case for ${focus} is strongest where its demands are already met. It weakens with every condition that has to be created first.`,
  'other-side': (focus) =>
    `What speaks for ${focus} shows over time: after the first year, upkeep and habit weigh more than features. Strengths that nobody here needs should not count.`,
  criteria: (focus) =>
    `Between ${focus}, few criteria really differ. Weighing those first, and putting a price on changing one's mind later, decides more than any list of features.`,
}

const OPEN: Record<AngleKind, (focus: string) => string> = {
  foundations: (focus) => `Which parts of ${focus} are settled, and who says so?`,
  evidence: (focus) => `Which figures on ${focus} were measured twice, by people with nothing to gain?`,
  limits: (focus) => `Under which conditions would the opposite be true of ${focus}?`,
  side: (focus) => `What would have to change for ${focus} to be the wrong choice?`,
  'other-side': (focus) => `What does ${focus} cost in its second year?`,
  criteria: (focus) => `Which single fact would turn the choice between ${focus} around?`,
}

function generalFindings({ kind, focus }: Angle): Findings {
  return { points: POINTS[kind](focus), paragraph: PARAGRAPH[kind](focus), open: OPEN[kind](focus) }
}

/** The notes of one researcher. Without results they say that nothing is verified. */
export function writeNotes(angle: Angle, question: string, results: readonly Finding[]): string {
  const { points, paragraph, open } = knownFindings(angle, question) ?? generalFindings(angle)
  const found =
    results.length === 0
      ? ['- Nothing was looked up: there was no search. All of this is from memory, **not verified**.']
      : results.slice(0, 6).map(({ title, url }) => `- [${title}](${url})`)
  return (
    [
      `# ${angle.title}`,
      `Part of: ${question}`,
      '## What matters',
      points.map((point) => `- ${point}`).join('\n'),
      '## Found',
      found.join('\n'),
      '## Open',
      open,
      '## For the report',
      paragraph,
    ].join('\n\n') + '\n'
  )
}
