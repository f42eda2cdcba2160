import type { Json } from '@clewline/core'

export const COUNT = 20
export const LEAVES = [0, 1, 2, 3, 4]
export const LOOKUPS = [1, 2, 3]

export const AGENTS = ['two-question', 'panel', 'deep', 'fan-out', 'counter', 'long-tool'] as const
export type ChaosAgent = (typeof AGENTS)[number]

/** What a run of an agent is asked, where it must end whatever happens on the way, and the side effects that must be there. */
export interface Ending {
  readonly input: Json
  /** The part of the final state that anything lost, doubled or mixed up would change. */
  readonly digest: (values: never) => unknown
  readonly end: unknown
  readonly effects: readonly string[]
}

/** The client's answer to a question says which one it is for: used for another one, it shows. */
export const answerTo = (question: string): string => `yes to ${question}`

const asked = (...who: readonly string[]) => {
  const answers = who.flatMap((one) =>
    ['STAGING', 'PRODUCTION'].map((where) => ({
      question: `${one} ${where}?`,
      answer: answerTo(`${one} ${where}?`),
    })),
  )
  return {
    input: {},
    digest: (values: { answers?: unknown }) => values.answers,
    end: answers,
    effects: who.map((one) => `${one} has both`),
  }
}

interface Conversation {
  readonly messages?: readonly {
    readonly type?: string
    readonly text?: string
    readonly content?: unknown
  }[]
}

const types = ({ messages = [] }: Conversation): string => messages.map(({ type }) => type).join(' ')
const go = { messages: [{ role: 'user', content: 'go' }] }

export const ENDINGS: Readonly<Record<ChaosAgent, Ending>> = {
  'two-question': asked('delete'),
  panel: asked('left', 'right'),
  deep: {
    input: { ...go, files: { 'shared.md': 'alpha beta' } },
    digest: (values: Conversation & { files?: unknown }) => ({ types: types(values), files: values.files }),
    end: {
      types: 'human ai tool tool ai tool ai',
      files: {
        'shared.md': 'ALPHA BETA',
        'alpha-1.md': 'alpha one',
        'alpha-2.md': 'alpha two',
        'beta-1.md': 'beta one',
        'beta-2.md': 'beta two',
        'main.md': 'main',
      },
    },
    effects: ['alpha', 'beta'],
  },
  'fan-out': {
    input: go,
    digest: (values: Conversation & { leaves?: unknown }) => ({
      types: types(values),
      leaves: values.leaves,
    }),
    end: { types: 'human ai tool tool tool', leaves: LEAVES },
    effects: [...LEAVES.map((n) => `leaf ${n}`), ...LOOKUPS.map((n) => `lookup ${n}`)],
  },
  counter: {
    input: {},
    digest: ({ n }: { n?: unknown }) => n,
    end: COUNT,
    effects: Array.from({ length: COUNT }, (_, n) => `step ${n}`),
  },
  'long-tool': {
    input: go,
    digest: types,
    end: 'human ai tool ai',
    effects: ['begun', 'done'],
  },
}
