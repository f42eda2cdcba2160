import { fileText, textArg, type Conversation, type Turn } from './turn.ts'

const SMALL = new Set(
  `about again also and any are could did does for from give had has have how into its just know like made make many more
  most much of on or our please report said say show so some such tell than that the their them then there these they this
  those to us was we were what when where which who why will with would write wrote you your is it in me my do be at as an
  by`.split(/\s+/),
)

/** A question about a report that is already there: answered from the files, or the report is published after all. */
export function answerFollowUp(conversation: Conversation): Turn {
  if (/\bpublish\b/i.test(conversation.request)) return publishAfterAll(conversation)
  const words = (conversation.request.match(/[\p{L}\p{N}]{2,}/gu) ?? []).filter(
    (word) => !SMALL.has(word.toLowerCase()),
  )
  const longest = words.toSorted((a, b) => b.length - a.length)[0]
  if (conversation.step === 0) {
    return {
      reasoning: `A question about what is already written. The answer should be in the files, so I look there first.`,
      text: 'Let me look at what we have.',
      calls: [
        { name: 'read_file', args: { file_path: 'final_report.md' } },
        longest === undefined
          ? { name: 'ls', args: {} }
          : { name: 'grep', args: { pattern: longest, glob: '*.md', ignore_case: true } },
      ],
    }
  }
  const report = conversation.since.find((call) => call.name === 'read_file')
  return { text: quoteReport(fileText(report?.answer ?? ''), words, conversation) }
}

function quoteReport(report: string, words: readonly string[], conversation: Conversation): string {
  const sentences = report
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/^- /, ''))
  const wanted = words.map((word) => word.toLowerCase())
  const score = (sentence: string): number =>
    wanted.filter((word) => sentence.toLowerCase().includes(word)).length
  const best = sentences
    .map((sentence) => ({ sentence, score: score(sentence) }))
    .filter((entry) => entry.score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3)
  const files = conversation.since.find((call) => call.name === 'grep')?.answer ?? ''
  const names = [...new Set([...files.matchAll(/^([^:\n]+):\d+: /gm)].map(([, name]) => `\`${name}\``))]
  if (best.length === 0) {
    const [opening = 'The report is empty.'] = sentences
    return `The report does not speak of that. What it says first is:\n\n> ${opening}\n\nSay "research …" and I will look into something new.`
  }
  const where = names.length === 0 ? '' : `\n\nMore on it is in ${names.join(', ')}.`
  return `From the report:\n\n${best.map((entry) => `> ${entry.sentence}`).join('\n>\n')}${where}`
}

function publishAfterAll(conversation: Conversation): Turn {
  const earlier = conversation.before.findLast((call) => call.name === 'publish_report')
  const title = textArg(earlier, 'title') || 'Report'
  const published = conversation.since.findLast((call) => call.name === 'publish_report')
  if (published === undefined) {
    return {
      text: 'I will ask for approval again.',
      calls: [{ name: 'publish_report', args: { file_path: 'final_report.md', title } }],
    }
  }
  return { text: published.failed ? 'All right, it stays unpublished.' : published.answer }
}
