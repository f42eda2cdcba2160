import { findingsIn, writeNotes } from './notes.ts'
import { fileText, textArg, type Conversation, type Turn } from './turn.ts'
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

/** A researcher: search from two sides, notes, its line in sources.md, an answer. */
export function research(conversation: Conversation): Turn {
  const line = (name: string): string =>
    new RegExp(`^${name}: (.*)$`, 'm').exec(conversation.request)?.[1]?.trim() ?? ''
  const question = line('Question') || conversation.request
  const file = line('Write your notes to') || 'notes.md'
  const angle: Angle = {
    kind: ANGLE_KINDS.find((kind) => kind === line('Kind')) ?? 'foundations',
    title: line('Research this part of a question') || question,
    focus: line('Focus') || question,
    file,
    queries: toPair(line('Search for') || question),
  }
  const pending = line('In sources.md, replace the line')
  const searches = conversation.since.filter((call) => call.name === 'internet_search')
  const findings = searches.flatMap((call) => findingsIn(call.answer))
  switch (conversation.step) {
    case 0:
      return {
        reasoning: `My part is "${angle.focus}". One search with the user's own words, one from the side, so that I do not only find what confirms the question.`,
        text: `Searching from two sides: ${angle.focus}.`,
        calls: angle.queries.map((query) => ({ name: 'internet_search', args: { query, max_results: 3 } })),
      }
    case 1:
      return {
        reasoning:
          findings.length === 0
            ? 'The search gave nothing. I go on with general reasoning and mark it as not verified.'
            : `${findings.length} results. I keep the addresses and write down what matters for the report.`,
        text: `Writing the notes to ${file}.`,
        calls: [
          { name: 'write_file', args: { file_path: file, content: writeNotes(angle, question, findings) } },
        ],
      }
    case 2:
      return pending === ''
        ? { calls: [{ name: 'read_file', args: { file_path: file } }] }
        : {
            text: 'Filling in my line of the list of sources.',
            calls: [
              {
                name: 'edit_file',
                args: {
                  file_path: 'sources.md',
                  old_string: pending,
                  new_string: sourceLine(angle, findings.length),
                },
              },
            ],
          }
    case 3:
      return {
        text: `Checking ${file} once more.`,
        calls: [{ name: 'read_file', args: { file_path: file } }],
      }
    default: {
      const written = conversation.since.find((call) => call.name === 'write_file')
      const read = conversation.since.findLast((call) => call.name === 'read_file')
      const notes = read === undefined ? textArg(written, 'content') : fileText(read.answer)
      const [, paragraph = ''] = notes.split('## For the report')
      const basis =
        findings.length === 0
          ? 'Nothing of it is verified: there was no search.'
          : `Based on ${findings.length} results.`
      return { text: `${paragraph.trim()} ${basis} My notes are in ${file}.`.trim() }
    }
  }
}

function sourceLine(angle: Angle, results: number): string {
  return results === 0
    ? `- ${angle.title}: general reasoning, not verified (${angle.file})`
    : `- ${angle.title}: ${results} results, see ${angle.file}`
}

function toPair(text: string): readonly [string, string] {
  const [first = text, second = `${text} overview`] = text.split(' | ')
  return [first, second]
}
