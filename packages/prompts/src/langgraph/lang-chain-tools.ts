import type { StructuredTool } from '@langchain/core/tools'
import { toLangChainTools } from '../adapter/langchain-tools.ts'
import { loadLangChain } from '../adapter/load-langchain.ts'
import type { PromptTemplate } from '../prompt/prompt.ts'

/** The tools of a prompt, for a graph that you compile yourself. They work inside of `adapter.evaluate`. */
export async function langChainTools(template: PromptTemplate): Promise<StructuredTool[]> {
  return toLangChainTools(await loadLangChain(), template)
}
