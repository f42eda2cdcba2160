import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import type { AgentRuntime, OpenSeat } from './agent-runtime.ts'
import { answer } from './answer.ts'
import { changeFile, changesOf, type WorkPlace } from './change-file.ts'
import { refuseFileName } from './file-name.ts'
import { numberLines } from './number-lines.ts'

const fileName = z.string().describe('Name of the file. The workspace is flat: "notes.md", not "a/notes.md".')

export const listingTool = (open: OpenSeat) =>
  tool(
    async (_input, runtime: AgentRuntime) => {
      const names = (await open(runtime)).workspace.names()
      const text = names.length === 0 ? 'The workspace is empty.' : names.join('\n')
      return answer(runtime, { tool: 'ls', text, artifact: names })
    },
    {
      name: 'ls',
      description: 'List the names of all files in the workspace, sorted.',
      schema: z.object({}),
    },
  )

/** Reads at most `maxLength` characters at once. */
export const readingTool = (open: OpenSeat, maxLength: number) =>
  tool(
    async ({ file_path, offset, limit, column }, runtime: AgentRuntime) => {
      const badName = refuseFileName(file_path)
      if (badName !== undefined) return answer(runtime, { tool: 'read_file', text: badName, failed: true })
      const seat = await open(runtime)
      const content = seat.workspace.read(file_path)
      if (content === undefined) {
        const text = `File ${file_path} not found. Use ls to see which files there are.`
        return answer(runtime, { tool: 'read_file', text, failed: true })
      }
      const stale = seat.owner !== '' && content !== runtime.state.files?.[file_path]
      return answer(runtime, {
        tool: 'read_file',
        ...numberLines(content, { offset, limit, column, maxLength }),
        changes: stale ? changesOf(seat, [], [file_path]) : {},
      })
    },
    {
      name: 'read_file',
      description: `Read a file of the workspace. Lines are numbered from 1, a tab stands between number and text (neither is part of the file). Long files: read on with offset and limit; long lines: with column. Always read a file before you edit it.`,
      schema: z.object({
        file_path: fileName,
        offset: z.number().int().min(0).default(0).describe('Lines to skip'),
        limit: z.number().int().min(1).default(2000).describe('Lines to read at most'),
        column: z
          .number()
          .int()
          .min(0)
          .optional()
          .describe('Characters to skip in each line, to read on in a line that was cut'),
      }),
    },
  )

/** The tools that change files. */
export function changingTools(place: WorkPlace) {
  const writeFile = tool(
    ({ file_path, content }, runtime: AgentRuntime) =>
      changeFile(runtime, 'write_file', { op: 'write', name: file_path, content }, place),
    {
      name: 'write_file',
      description:
        'Create a file in the workspace, or replace all of its content. To change a part, use edit_file.',
      schema: z.object({ file_path: fileName, content: z.string().describe('The whole content') }),
    },
  )
  const editFile = tool(
    ({ file_path, old_string, new_string, replace_all }, runtime: AgentRuntime) =>
      changeFile(
        runtime,
        'edit_file',
        { op: 'edit', name: file_path, old: old_string, new: new_string, all: replace_all },
        place,
      ),
    {
      name: 'edit_file',
      description: `Replace exact text in a file of the workspace. old_string must be in the file exactly once, with the same spaces and line breaks and without the line numbers of read_file; take enough of the surrounding text to make it unique. Set replace_all to replace every occurrence on purpose.`,
      schema: z.object({
        file_path: fileName,
        old_string: z.string().describe('The exact text to replace'),
        new_string: z.string().describe('The text to put there'),
        replace_all: z.boolean().default(false).describe('Replace every occurrence'),
      }),
    },
  )
  const deleteFile = tool(
    ({ file_path }, runtime: AgentRuntime) =>
      changeFile(runtime, 'delete_file', { op: 'delete', name: file_path }, place),
    {
      name: 'delete_file',
      description: 'Delete a file of the workspace.',
      schema: z.object({ file_path: fileName }),
    },
  )
  return [writeFile, editFile, deleteFile] as const
}
