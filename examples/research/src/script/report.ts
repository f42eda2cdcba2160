import { knownAnswer } from './dossier.ts'
import type { Topic } from './topic.ts'

/** Notes as the editor read them. */
export interface ReadNotes {
  readonly title: string
  readonly paragraph: string
  readonly points: readonly string[]
  /** What the researcher could not answer. */
  readonly open: string
}

export function readNotes(text: string): ReadNotes {
  const section = (name: string): string => {
    const start = text.indexOf(`## ${name}\n`)
    if (start === -1) return ''
    const body = text.slice(start + name.length + 4)
    const end = body.indexOf('\n## ')
    return (end === -1 ? body : body.slice(0, end)).trim()
  }
  return {
    title: /^# (.+)$/m.exec(text)?.[1] ?? 'Notes',
    paragraph: section('For the report'),
    open: section('Open'),
    points: section('What matters')
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .map((line) => line.slice(2)),
  }
}

export function titleOf(topic: Topic): string {
  return topic.subject.replace(/^./u, (first) => first.toUpperCase())
}

/** The first sentence of the draft's summary, which the critic will not like. */
export function vagueOpening(topic: Topic): string {
  return `This report looks at the question "${topic.subject}".`
}

/** What takes its place. */
export function directOpening(topic: Topic): string {
  const answer = knownAnswer(topic.question)
  if (answer !== undefined) return answer
  const parts = topic.angles.map((angle) => `the ${lowerFirst(angle.title.replace(/^The /, ''))}`)
  const list = `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
  return `In short, the answer to "${topic.subject}" rests on ${parts.length === 2 ? 'two' : 'three'} things: ${list}.`
}

export const OPEN_QUESTIONS_BEFORE = '## Sources'

export function openQuestions(notes: readonly ReadNotes[]): string {
  const questions = notes.filter((note) => note.open !== '').map((note) => `- ${note.open}`)
  return `## Open questions\n\n${questions.join('\n')}\n\n${OPEN_QUESTIONS_BEFORE}`
}

export function writeDraft(topic: Topic, notes: readonly ReadNotes[], sources: string): string {
  const sections = notes.map(
    (note) =>
      `## ${note.title}\n\n${note.paragraph}\n\n${note.points.map((point) => `- ${point}`).join('\n')}`,
  )
  return (
    [
      `# ${titleOf(topic)}`,
      '## Summary',
      `${vagueOpening(topic)} ${notes
        .map((note) => note.paragraph.split('. ')[0]?.replace(/\.$/, '') ?? '')
        .filter(Boolean)
        .join('. ')}.`,
      ...sections,
      OPEN_QUESTIONS_BEFORE,
      sources.trim(),
      '## How this was made',
      'By the scripted model of the Clewline demo, which needs no provider: plan, files, parallel sub-agents, critique and approval are real; the words were written beforehand, and nothing was looked up but what the sources name. Start with `--model ollama:llama3.1` or another model for research of its own.',
    ].join('\n\n') + '\n'
  )
}

function lowerFirst(text: string): string {
  return text.replace(/^./u, (first) => first.toLowerCase())
}
