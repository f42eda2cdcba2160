import { tool, type ToolRuntime } from '@langchain/core/tools'
import { cutText } from '@clewline/deepagents'
import { z } from 'zod'

const resultsSchema = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string().default('') })),
})

const TIMEOUT_MS = 20_000

/** Searches the web with Tavily. Without a key, or when the search fails, it says so, and the work goes on. */
export const internetSearch = tool(
  async ({ query, max_results, topic }, runtime: ToolRuntime) => {
    const key = process.env['TAVILY_API_KEY']
    if (key === undefined || key === '') {
      return `No results: the search is not set up (TAVILY_API_KEY is not set). Go on with what you know about "${query}", and mark it as not verified.`
    }
    const base = process.env['TAVILY_BASE_URL'] ?? 'https://api.tavily.com'
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    try {
      const response = await fetch(`${base}/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ query, max_results, topic }),
        signal: runtime.signal === undefined ? timeout : AbortSignal.any([runtime.signal, timeout]),
      })
      if (!response.ok) return failed(query, `the service answered ${response.status}`)
      const { results } = resultsSchema.parse(await response.json())
      if (results.length === 0) return `No results for "${query}".`
      return results
        .map(
          ({ title, url, content }, index) => `${index + 1}. ${title} — ${url}\n   ${cutText(content, 600)}`,
        )
        .join('\n')
    } catch (error) {
      if (runtime.signal?.aborted === true) throw error
      return failed(query, error instanceof Error ? error.message : String(error))
    }
  },
  {
    name: 'internet_search',
    description: 'Search the web. Returns numbered results: title, address, and what the page says.',
    schema: z.object({
      query: z.string().min(1).describe('What to search for'),
      max_results: z.number().int().min(1).max(10).default(5),
      topic: z.enum(['general', 'news', 'finance']).default('general'),
    }),
  },
)

function failed(query: string, reason: string): string {
  return `No results: the search for "${query}" failed (${reason}). Go on with what you know, and mark it as not verified.`
}
