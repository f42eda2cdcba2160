import { ToolMessage } from '@langchain/core/messages'
import { Command, isCommand } from '@langchain/langgraph'
import type { WrapToolCallHook } from 'langchain'
import { cutText } from './cut-text.ts'
import type { FileOperation } from './file-operation.ts'
import { keepFile, nameFor, type Keeper } from './keep-file.ts'

const PREVIEW_LENGTH = 2000

/** These have limits of their own, and their results are in files already. */
const EXEMPT: ReadonlySet<string> = new Set(['ls', 'read_file', 'glob', 'grep'])

/**
 * Eviction: a result of more than `maxLength` characters goes to a file, and the model gets its beginning and how to read
 * on. Otherwise every later request would carry it whole.
 */
export function evictResults(maxLength: number, agent: Keeper): WrapToolCallHook {
  return async (request, handler) => {
    const result = await handler(request)
    const { name, id = '' } = request.toolCall
    if (EXEMPT.has(name)) return result
    const message = ToolMessage.isInstance(result) ? result : answerIn(result, id)
    if (message === undefined || message.text.length <= maxLength) return result
    const content = message.text
    const evicted = { name: nameFor(`result_${name}_${id}`, content, 'txt'), content }
    const written = await keepFile(agent, request.runtime.configurable, evicted)
    return withEvicted(result, message, evicted, written)
  }
}

function answerIn(result: unknown, id: string): ToolMessage | undefined {
  const messages = isCommand(result) ? messagesOf(result.update) : undefined
  return messages?.find(
    (message): message is ToolMessage => ToolMessage.isInstance(message) && message.tool_call_id === id,
  )
}

function messagesOf(update: Command['update']): readonly unknown[] | undefined {
  const messages = Array.isArray(update) ? undefined : update?.['messages']
  return Array.isArray(messages) ? messages : undefined
}

interface Evicted {
  readonly name: string
  readonly content: string
}

function withEvicted(
  result: ToolMessage | Command,
  message: ToolMessage,
  evicted: Evicted,
  written: Awaited<ReturnType<typeof keepFile>>,
): Command {
  const short = shorten(message, evicted.name)
  if (!isCommand(result) || Array.isArray(result.update))
    return new Command({ update: { messages: [short], ...written } })
  const { update = {}, goto, resume, graph } = result
  const messages = messagesOf(update)?.map((one) => (one === message ? short : one)) ?? [short]
  return new Command({
    update: {
      ...update,
      messages,
      ...written,
      files: joined(update['files'], written.files, evicted),
      ...(written._fileOperations !== undefined && {
        _fileOperations: [...listOf(update['_fileOperations']), ...written._fileOperations],
      }),
    },
    ...(goto !== undefined && { goto }),
    ...(resume !== undefined && { resume }),
    ...(graph !== undefined && { graph }),
  })
}

/** The tool may have written files too: as operations, or as contents by name. */
function joined(given: unknown, written: readonly FileOperation[], { name, content }: Evicted) {
  if (given === undefined || Array.isArray(given)) return [...listOf(given), ...written]
  return typeof given === 'object' ? { ...given, ...(written.length > 0 && { [name]: content }) } : given
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function shorten(message: ToolMessage, file: string): ToolMessage {
  const { name, tool_call_id, status, artifact, id, additional_kwargs, response_metadata, text } = message
  const rest = Array.isArray(message.content) ? message.content.filter((block) => block.type !== 'text') : []
  const preview = `${cutText(text, PREVIEW_LENGTH)}…

[These are the first of ${text.length} characters. The whole result is in the file ${file}: read on with read_file, by offset and limit or in a long line by column, or search it with grep.]`
  return new ToolMessage({
    content: rest.length === 0 ? preview : [{ type: 'text', text: preview }, ...rest],
    tool_call_id,
    additional_kwargs,
    response_metadata,
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(id !== undefined && { id }),
    ...(artifact !== undefined && { artifact }),
  })
}
