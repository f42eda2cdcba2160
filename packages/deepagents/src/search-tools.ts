import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import type { AgentRuntime, OpenSeat } from './agent-runtime.ts'
import { answer } from './answer.ts'
import { boundaryAt, cutText } from './cut-text.ts'
import { matchGlob } from './match-glob.ts'

const MAX_LINES = 200
const MAX_LINE_LENGTH = 300

export const globTool = (open: OpenSeat) =>
  tool(
    async ({ pattern }, runtime: AgentRuntime) => {
      const { workspace } = await open(runtime)
      const names = workspace.names().filter((name) => matchGlob(pattern, name))
      const text = names.length === 0 ? `No file matches ${JSON.stringify(pattern)}.` : names.join('\n')
      return answer(runtime, { tool: 'glob', text, artifact: names })
    },
    {
      name: 'glob',
      description:
        'Find files of the workspace by name. * is any text, ? one character, [ab] one of these, {a,b} one of several.',
      schema: z.object({ pattern: z.string().min(1).max(200).describe('For example "*.md"') }),
    },
  )

export const grepTool = (open: OpenSeat) =>
  tool(
    async ({ pattern, glob: names, ignore_case }, runtime: AgentRuntime) => {
      const { workspace } = await open(runtime)
      const wanted = ignore_case ? pattern.toLowerCase() : pattern
      const found: string[] = []
      for (const name of workspace.names()) {
        if (names !== undefined && !matchGlob(names, name)) continue
        const lines = (workspace.read(name) ?? '').split(/\r?\n/)
        for (const [index, line] of lines.entries()) {
          const at = (ignore_case ? line.toLowerCase() : line).indexOf(wanted)
          if (at !== -1) found.push(`${name}:${index + 1}: ${excerpt(line, at, wanted.length)}`)
        }
      }
      const more = found.length > MAX_LINES ? `\n… and ${found.length - MAX_LINES} more lines` : ''
      const text =
        found.length === 0
          ? `No line contains ${JSON.stringify(pattern)}.`
          : found.slice(0, MAX_LINES).join('\n') + more
      return answer(runtime, { tool: 'grep', text })
    },
    {
      name: 'grep',
      description: 'Find lines of the workspace that contain a text. The text is taken literally.',
      schema: z.object({
        pattern: z.string().min(1).describe('The text to look for'),
        glob: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('Only in files whose name matches, such as "*.md"'),
        ignore_case: z.boolean().default(false),
      }),
    },
  )

/** A long line is cut; a match beyond the cut is shown with what stands around it, and where to read on. */
function excerpt(line: string, at: number, length: number): string {
  if (at + length <= MAX_LINE_LENGTH) return cutText(line, MAX_LINE_LENGTH)
  const start = boundaryAt(line, Math.max(0, at - MAX_LINE_LENGTH / 2))
  return `…${cutText(line.slice(start), MAX_LINE_LENGTH)} (column ${start})`
}
