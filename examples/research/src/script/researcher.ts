import { findingsIn, writeNotes } from './notes.ts'
import { fileText, type Conversation, type ScriptedCall, type Turn } from './turn.ts'
import { ANGLE_KINDS, type Angle } from './topic.ts'

/** A task as the editor writes it and the researcher reads it. */
export function describeTask(angle: Angle, number: number, question: string): string {
  return [
    `Research this part of a question: ${angle.title}`,
    `Question: ${question.replaceAll(/\s*\n\s*/g, ' ')}`,
    `Kind: ${angle.kind}`,
    `Focus: ${angle.focus}`,
    `Search for: ${angle.queries.join(' | ')}`,
    `Write your notes to: ${angle.file}`,
    `In sources.md, replace the line: ${pendingSource(number)}`,
    'Answer with the main finding in two or three sentences.',
  ].join('\n')
}

export function pendingSource(number: number): string {
  return `- Researcher ${number}: at work`
}

/** A researcher: search, notes, its line in sources.md, a last look, an answer. */
export function research(conversation: Conversation): Turn {
  const task = readTask(conversation.request)
  const { angle, question, pending } = task
  const done = (name: string): boolean => conversation.since.some((call) => call.name === name)
  const searches = conversation.since.filter((call) => call.name === 'internet_search')
  const results = searches.flatMap((call) => findingsIn(call.answer))
  const query = angle.queries[searches.length]
  if (searches.length === 0 && query !== undefined) {
    return {
      reasoning: `My part is "${angle.focus}". I search with the user's own words first, and then from the side, so that I do not only find what confirms the question.`,
      text: `Searching: ${angle.focus}.`,
      calls: [search(query)],
    }
  }
  // A search that is not there will not be there a moment later.
  if (results.length > 0 && query !== undefined) {
    return { text: `${results.length} results. Now from the side.`, calls: [search(query)] }
  }
  if (!done('write_file')) {
    return {
      reasoning:
        results.length === 0
          ? 'There is no search here, and asking again would not change that. I write down what I know, and mark it as not verified.'
          : `${results.length} results. I keep the addresses and write down what matters for the report.`,
      text: `Writing my notes to ${angle.file}.`,
      calls: [
        {
          name: 'write_file',
          args: { file_path: angle.file, content: writeNotes(angle, question, results) },
        },
      ],
    }
  }
  if (!done('edit_file') && pending !== '') {
    const new_string = sourceLine(angle, results.length)
    return {
      text: 'Filling in my line of the list of sources.',
      calls: [{ name: 'edit_file', args: { file_path: 'sources.md', old_string: pending, new_string } }],
    }
  }
  if (!done('read_file')) {
    return {
      text: `Reading ${angle.file} once more before I answer.`,
      calls: [{ name: 'read_file', args: { file_path: angle.file } }],
    }
  }
  const notes = fileText(conversation.since.findLast((call) => call.name === 'read_file')?.answer ?? '')
  const [, paragraph = ''] = notes.split('## For the report')
  const basis =
    results.length === 0
      ? 'Nothing of it is verified: there was no search.'
      : `Based on ${results.length} results.`
  return { text: `${paragraph.trim()} ${basis} My notes are in ${angle.file}.`.trim() }
}

/** Reads a task back; one that a person wrote by hand is taken as the question itself. */
function readTask(request: string): { angle: Angle; question: string; pending: string } {
  const line = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(request)?.[1]?.trim() ?? ''
  const question = line('Question') || request
  return {
    question,
    pending: line('In sources.md, replace the line'),
    angle: {
      kind: ANGLE_KINDS.find((kind) => kind === line('Kind')) ?? 'foundations',
      title: line('Research this part of a question') || question,
      focus: line('Focus') || question,
      file: line('Write your notes to') || 'notes.md',
      queries: toPair(line('Search for') || question),
    },
  }
}

function search(query: string): ScriptedCall {
  return { name: 'internet_search', args: { query, max_results: 3 } }
}

function sourceLine(angle: Angle, results: number): string {
  return results === 0
    ? `- ${angle.title}: from memory, not verified (${angle.file})`
    : `- ${angle.title}: ${results} results, see ${angle.file}`
}

function toPair(text: string): readonly [string, string] {
  const [first = text, second = `${text} overview`] = text.split(' | ')
  return [first, second]
}
