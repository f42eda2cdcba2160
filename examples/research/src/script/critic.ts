import { fileText, type Conversation, type Turn } from './turn.ts'

/** The critic: reads the report and the question, then lists what to change. */
export function criticise(conversation: Conversation): Turn {
  if (conversation.step === 0) {
    return {
      text: 'Reading the report and the question.',
      calls: [
        { name: 'read_file', args: { file_path: 'final_report.md' } },
        { name: 'read_file', args: { file_path: 'question.md' } },
      ],
    }
  }
  const report = fileText(
    conversation.since.find((call) => call.args['file_path'] === 'final_report.md')?.answer ?? '',
  )
  const points = [
    ...(report.includes('This report looks at')
      ? ['The summary announces a topic. It should answer the question in its first sentence.']
      : []),
    ...(report.includes('## Open questions')
      ? []
      : ['Open questions are missing: say what is not known before the sources.']),
    ...(report.includes('not verified')
      ? ['Unverified parts are marked, which is good. Keep the marks.']
      : []),
  ]
  const words = report.split(/\s+/).length
  return {
    reasoning: `The report has ${words} words. A reader in a hurry reads the first sentence of the summary and the headings, so I judge those first.`,
    text:
      points.length === 0
        ? 'Nothing to change.'
        : points.map((point, index) => `${index + 1}. ${point}`).join('\n'),
  }
}
