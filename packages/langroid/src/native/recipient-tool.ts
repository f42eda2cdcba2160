import { z } from 'zod'
import type { ChatAgent } from './chat-agent.ts'
import { chatDocument, type ChatDocument } from './chat-document.ts'
import { ToolMessage } from './tool-message.ts'

/** Words that wait for a recipient, per agent. */
const waiting = new WeakMap<ChatAgent, { readonly content: string; readonly tainted: boolean }>()

const AddRecipient = ToolMessage({
  request: 'add_recipient',
  purpose: 'To clarify the <intended_recipient> of a message that forgot to name one.',
  fields: z.object({ intended_recipient: z.string() }),
  handle: ({ intended_recipient: recipient }, { agent, document }) => {
    const saved = waiting.get(agent)
    waiting.delete(agent)
    const tainted = (document?.tainted ?? false) || (saved?.tainted ?? false)
    const content =
      saved?.content ??
      'Recipient specified but content is empty! Resend the message with `recipient_message`.'
    return chatDocument({ sender: 'LLM', recipient, content, tainted })
  },
})

/** Langroid's tool for a model that talks to several agents: it says for whom its words are. */
export const RecipientTool: ToolMessage & {
  /** A version for these recipients only; `fallback` is meant where the model names none. */
  create(recipients: readonly string[], fallback?: string): ToolMessage
} = { ...recipientTool([], ''), create: (recipients, fallback = '') => recipientTool(recipients, fallback) }

function recipientTool(recipients: readonly string[], fallback: string): ToolMessage {
  const whom = recipients.length === 0 ? 'the name of the recipient' : `one of: ${recipients.join(', ')}`
  return ToolMessage({
    request: 'recipient_message',
    purpose: 'To send message <content> to a specific <intended_recipient>.',
    instructions: `You talk to several recipients: set \`intended_recipient\` to ${whom}, and \`content\` to your message.`,
    fields: z.object({ intended_recipient: z.string(), content: z.string() }),
    handle: ({ intended_recipient, content }, { agent, document }) => {
      const recipient = intended_recipient === '' ? fallback : intended_recipient
      const tainted = document?.tainted ?? false
      // Langroid speaks as the model here, so that the agent's own responders leave it to the recipient.
      if (recipient !== '') return chatDocument({ sender: 'LLM', recipient, content, tainted })
      waiting.set(agent, { content, tainted })
      return remind(
        agent,
        "Empty recipient field! Please use the 'add_recipient' tool/function-call to specify who your message is intended for. DO NOT REPEAT your original message; ONLY specify the recipient via this tool/function-call.",
      )
    },
  })
}

export function isRecipientTool(name: string): boolean {
  return name === 'recipient_message'
}

/** For a model that forgot to address its words: they wait until it names a recipient. */
export function recipientReminder(agent: ChatAgent, message: ChatDocument): ChatDocument | undefined {
  if (!agent.toolsHandled.has('recipient_message') || message.recipient !== '') return undefined
  waiting.set(agent, { content: message.content, tainted: message.tainted })
  return remind(
    agent,
    "Please use the 'add_recipient' tool/function-call to specify who your `intended_recipient` is. DO NOT REPEAT your original message; ONLY specify the `intended_recipient` via this tool/function-call.",
  )
}

function remind(agent: ChatAgent, content: string): ChatDocument {
  agent.enableMessage(AddRecipient)
  return chatDocument({ sender: 'Agent', recipient: 'LLM', content })
}
