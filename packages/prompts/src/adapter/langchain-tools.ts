import { ClewlineError, isRecord } from '@clewline/core'
import type { StructuredTool } from '@langchain/core/tools'
import { openSectionsTool } from '../prompt/open-sections.ts'
import type { PromptTemplate } from '../prompt/prompt.ts'
import { readSectionTool } from '../prompt/read-section.ts'
import { carriesTools, type Section } from '../prompt/section.ts'
import { runTool, type ToolHost } from '../tool/run-tool.ts'
import type { Tool } from '../prompt/tool.ts'
import { currentEvaluation } from './evaluation.ts'
import { loadLangChain, type LangChain } from './load-langchain.ts'
import { counting, isWatched } from './usage-handler.ts'

/** The tools of a prompt, for a graph that you compile yourself. They work inside of `adapter.evaluate`. */
export async function langChainTools(template: PromptTemplate): Promise<StructuredTool[]> {
  return toLangChainTools(await loadLangChain(), template)
}

/** All tools of a prompt for LangChain; which of them may be called is decided at each call. */
export function toLangChainTools(lc: LangChain, template: PromptTemplate): StructuredTool[] {
  const tools = [...template.tools, ...disclosureTools(template.sections)]
  return tools.map((tool) => toLangChainTool(lc, tool))
}

function disclosureTools(sections: readonly Section[]): Tool[] {
  const summarized = flatten(sections).filter((section) => section.summary !== undefined)
  return [
    ...(summarized.length > 0 ? [openSectionsTool] : []),
    ...(summarized.some((section) => !carriesTools(section)) ? [readSectionTool] : []),
  ]
}

const flatten = (sections: readonly Section[]): Section[] =>
  sections.flatMap((section) => [section, ...flatten(section.children)])

function toLangChainTool(lc: LangChain, tool: Tool): StructuredTool {
  const { name, description } = tool
  const host = toolHost(lc)
  const run = async (args: unknown, config: ToolConfig) => {
    const evaluation = currentEvaluation(lc)
    if (evaluation === undefined)
      throw new ClewlineError('conflict', `The tool "${name}" was called outside of an evaluation.`, {
        hint: 'Run the graph through adapter.evaluate(prompt, ...).',
      })
    const id = config.toolCall?.id ?? config.toolCallId ?? `${name}-${evaluation.settled.size}`
    const { content, status } = await runTool(evaluation, { id, name, args }, host)
    return new lc.messages.ToolMessage({ content, status, name, tool_call_id: id })
  }
  // The model is shown the schema; what runs takes anything. LangChain's own check would answer the model with a
  // stack trace, and would not refuse unknown keys (core 1.2.13).
  const open = lc.tools.tool(run, { name, description, schema: {} })
  const shown = lc.tools.tool(run, { name, description, schema: { ...tool.inputSchema } })
  shown.call = (args, config, tags) => {
    const given = { ...config }
    const counted = counting(lc, currentEvaluation(lc), given)
    if (isWatched(given)) return open.call(args, counted, tags)
    // Fast path without callbacks: only the call's context is made, at a third of what LangChain's own way costs.
    const context = lc.runnables.pickRunnableConfigKeys(counted)
    return lc.contexts.AsyncLocalStorageProviderSingleton.runWithConfig(context, () => run(args, given))
  }
  return shown
}

interface ToolConfig {
  readonly toolCall?: { readonly id?: string }
  readonly toolCallId?: string
}

export function toolHost(lc: LangChain): ToolHost {
  return {
    interrupt: (value) => lc.graphs.interrupt(value),
    // It reads a field of whatever was thrown, also of null (langgraph 1.4.18).
    isPause: (error) => isRecord(error) && lc.graphs.isGraphBubbleUp(error),
    // From the context: in a nested tool the config may be another's.
    progress: (data) => lc.graphs.getWriter()?.(isProgress(data) ? { clewline: { progress: data } } : data),
  }
}

/** What readers of envelopes show as a bar; the key is the writer protocol of `@clewline/langgraph`. */
function isProgress(data: unknown): boolean {
  return isRecord(data) && typeof data['done'] === 'number'
}
