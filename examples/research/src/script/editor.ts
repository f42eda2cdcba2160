import { answerFollowUp } from './follow-up.ts'
import {
  directOpening,
  openQuestions,
  OPEN_QUESTIONS_BEFORE,
  readNotes,
  titleOf,
  vagueOpening,
  writeDraft,
} from './report.ts'
import { describeTask, pendingSource } from './researcher.ts'
import { readTopic, type Topic } from './topic.ts'
import { fileText, textArg, type Conversation, type ScriptedCall, type Turn } from './turn.ts'

/** The editor: the main agent. Its steps are in order; each reads what it needs from the conversation. */
export function edit(conversation: Conversation): Turn {
  const followsUp = conversation.before.some((call) => textArg(call, 'file_path') === 'final_report.md')
  const asksAnew = /^\W*(research|investigate|compare|new question|find out)\b/i.test(conversation.request)
  if (followsUp && !asksAnew) return answerFollowUp(conversation)
  const topic = readTopic(conversation.request)
  if (topic === undefined) return smallTalk()
  const step = STEPS[conversation.step]
  return step === undefined ? conclude(topic, conversation) : step(topic, conversation)
}

type Step = (topic: Topic, conversation: Conversation) => Turn

const STEPS: readonly Step[] = [plan, brief, delegate, gather, read, draft, review, revise, announce, publish]

const PLAN = [
  'Write down the question',
  'Research the parts in parallel',
  'Write the report',
  'Let the critic review it',
  'Publish it',
]

/** The plan with everything before `current` done. */
function todos(current: number): ScriptedCall {
  const items = PLAN.map((content, index) => ({
    content,
    status: index < current ? 'completed' : index === current ? 'in_progress' : 'pending',
  }))
  return { name: 'write_todos', args: { todos: items } }
}

function smallTalk(): Turn {
  return {
    text: 'Hello! I research questions: I plan, send researchers out in parallel, write a report, have it criticised, and ask you before I publish it. Try "How do heat pumps work in cold climates?" or "Compare Postgres and SQLite".',
  }
}

function plan(topic: Topic): Turn {
  const parts = topic.angles.map((angle) => angle.focus).join('; ')
  return {
    reasoning: `The user asks: "${topic.question}". That is more than one answer can settle. I see these parts: ${parts}. They do not depend on each other, so researchers can work on them at the same time. A critic should read the report before the user does.`,
    text: `I will look into this: **${topic.subject}**. First the plan.`,
    calls: [todos(0)],
  }
}

function brief(topic: Topic): Turn {
  const parts = topic.angles.map((angle, index) => `${index + 1}. ${angle.title} → ${angle.file}`)
  return {
    text: 'Writing down the question and a list for the sources, so that everybody works from the same page.',
    calls: [
      {
        name: 'write_file',
        args: {
          file_path: 'question.md',
          content: `# Question\n\n${topic.question}\n\n## Parts\n\n${parts.join('\n')}\n`,
        },
      },
      {
        name: 'write_file',
        args: {
          file_path: 'sources.md',
          content: `${topic.angles.map((_, index) => pendingSource(index + 1)).join('\n')}\n`,
        },
      },
      todos(1),
    ],
  }
}

function delegate(topic: Topic): Turn {
  return {
    text: `${topic.angles.length} researchers start now, each with one part of the question.`,
    calls: topic.angles.map((angle, index) => ({
      name: 'task',
      args: { description: describeTask(angle, index + 1, topic.question), subagent_type: 'research-agent' },
    })),
  }
}

function gather(_topic: Topic, conversation: Conversation): Turn {
  const tasks = conversation.since.filter((call) => call.name === 'task')
  const lost = tasks.filter((call) => call.failed).length
  return {
    text:
      lost === 0
        ? 'All researchers are back.'
        : `${tasks.length - lost} of ${tasks.length} researchers are back; I go on with what there is.`,
    calls: [{ name: 'ls', args: {} }, todos(2)],
  }
}

function read(topic: Topic, conversation: Conversation): Turn {
  const names = (conversation.since.findLast((call) => call.name === 'ls')?.answer ?? '').split('\n')
  const files = [...topic.angles.map((angle) => angle.file), 'sources.md'].filter((file) =>
    names.includes(file),
  )
  return {
    text: 'Reading their notes.',
    calls: files.map((file_path) => ({ name: 'read_file', args: { file_path } })),
  }
}

function notesIn(topic: Topic, conversation: Conversation) {
  const files = new Set(topic.angles.map((angle) => angle.file))
  return conversation.since
    .filter((call) => call.name === 'read_file' && !call.failed && files.has(textArg(call, 'file_path')))
    .map((call) => readNotes(fileText(call.answer)))
}

function draft(topic: Topic, conversation: Conversation): Turn {
  const notes = notesIn(topic, conversation)
  const sources = conversation.since.find(
    (call) => call.name === 'read_file' && textArg(call, 'file_path') === 'sources.md',
  )
  return {
    reasoning: `${notes.length} sets of notes. The order of the parts already tells a story: from what is known to what is not. I write a draft first and leave the polishing for after the critique.`,
    text: 'Writing the draft of the report.',
    calls: [
      {
        name: 'write_file',
        args: {
          file_path: 'final_report.md',
          content: writeDraft(topic, notes, fileText(sources?.answer ?? '')),
        },
      },
    ],
  }
}

function review(topic: Topic): Turn {
  return {
    text: 'Now the critic.',
    calls: [
      todos(3),
      {
        name: 'task',
        args: {
          description: `Review final_report.md. It has to answer the question in question.md: ${topic.question}`,
          subagent_type: 'critique-agent',
        },
      },
    ],
  }
}

function revise(topic: Topic, conversation: Conversation): Turn {
  const critique = conversation.since.findLast((call) => call.name === 'task')?.answer ?? ''
  const points = critique.split('\n').filter((line) => /^\d+\. /.test(line)).length
  const notes = notesIn(topic, conversation)
  const edits: ScriptedCall[] = [
    { old: vagueOpening(topic), new: directOpening(topic) },
    { old: OPEN_QUESTIONS_BEFORE, new: openQuestions(notes) },
  ].map((change) => ({
    name: 'edit_file',
    args: { file_path: 'final_report.md', old_string: change.old, new_string: change.new },
  }))
  return {
    reasoning: `The critic has ${points} points. The first two are fair: the opening does not answer, and what is not known is missing. Two edits, which do not touch each other.`,
    text: 'The critic is right. Two edits.',
    calls: edits,
  }
}

function announce(): Turn {
  return { text: 'The report is ready. Publishing it needs your approval.', calls: [todos(4)] }
}

function publish(topic: Topic): Turn {
  return {
    calls: [{ name: 'publish_report', args: { file_path: 'final_report.md', title: titleOf(topic) } }],
  }
}

/** After the human has decided: done, or what they said, noted in the report. */
function conclude(topic: Topic, conversation: Conversation): Turn {
  const published = conversation.since.findLast((call) => call.name === 'publish_report')
  const went = published?.answer.startsWith('Published') === true
  const after = conversation.step - STEPS.length
  if (went)
    return after === 0
      ? { calls: [todos(PLAN.length)] }
      : { text: summary(topic, conversation, published.answer) }
  if (after === 0) {
    return {
      reasoning:
        'The user did not approve. I do not publish, I keep what they said with the report, and I leave the decision with them.',
      text: 'Understood, I do not publish it. I note your decision in the report.',
      calls: [
        {
          name: 'edit_file',
          args: {
            file_path: 'final_report.md',
            old_string: '## How this was made',
            new_string: `## Review\n\nNot published. The reviewer said: ${published?.answer ?? 'nothing'}\n\n## How this was made`,
          },
        },
      ],
    }
  }
  return {
    text: `I did not publish the report. It stays in \`final_report.md\`, with your remark in its section "Review". Tell me what to change, or say "publish" when you want it out.`,
  }
}

function summary(topic: Topic, conversation: Conversation, outcome: string): string {
  const notes = notesIn(topic, conversation)
  const findings = notes.map(
    (note) => `- **${note.title}.** ${note.paragraph.split('. ')[0]?.replace(/\.$/, '') ?? ''}.`,
  )
  return [
    outcome,
    'What we found:',
    findings.join('\n'),
    `The whole report is in \`final_report.md\`, the researchers' notes are beside it. Ask me about any part of it.`,
  ].join('\n\n')
}
