import { ReducedValue, StateSchema } from '@langchain/langgraph'
import { z } from 'zod'
import { DeepAgentError } from './deep-agent-error.ts'
import { isFileOperation, type FileOperation, type Files } from './file-operation.ts'
import { reduceFiles, refuseFilesUpdate, type FilesUpdate } from './files-reducer.ts'

/** One item of the plan. */
export interface Todo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
}

export const todosSchema = z.array(
  z.object({
    content: z.string().min(1).describe('What is to be done, as a short imperative'),
    status: z.enum(['pending', 'in_progress', 'completed']).describe('Where it stands'),
  }),
) satisfies z.ZodType<Todo[]>

// By hand: LangGraph parses every write of every call, and the schema of an operation took a third of a tool call's cost.
// It throws by itself: LangGraph would make a JSON text of the issues.
const filesUpdateSchema = z.custom<FilesUpdate>((value) => {
  // LangGraph tries whether nothing is valid too.
  if (value === undefined) return false
  const refusal = refuseFilesUpdate(value)
  if (refusal === undefined) return true
  throw new DeepAgentError('bad-file', refusal, {
    hint: 'Give `files` as contents by flat name; null deletes.',
  })
})
// Operations are for tools. Who reads the published schema wants to seed files.
filesUpdateSchema._zod.toJSONSchema = () =>
  z.toJSONSchema(
    z.record(z.string(), z.string().nullable()).describe('Contents of files by flat name; null deletes'),
  )

const operationsSchema = z.custom<FileOperation[]>(
  (value) => Array.isArray(value) && value.every(isFileOperation),
)

const filesSchema = z
  .record(z.string(), z.string())
  .describe('Contents of files by flat name') satisfies z.ZodType<Files>

/** The channels that every deep agent has beside `messages`. */
export const deepAgentState = new StateSchema({
  // Two plans in one turn are a model's slip, not a reason to end the run: the later call stands.
  todos: new ReducedValue(
    todosSchema.default(() => []),
    { inputSchema: todosSchema, reducer: (_current, next) => next },
  ),
  files: new ReducedValue(
    filesSchema.default(() => ({})),
    { inputSchema: filesUpdateSchema, reducer: reduceFiles },
  ),
})

/**
 * A sub-agent also remembers what it changed, across pauses and crashes: that, and not its copy of the files, goes back
 * to its caller. The underscore keeps it out of input, output and what readers are shown.
 */
export const subAgentState = new StateSchema({
  ...deepAgentState.fields,
  _fileOperations: new ReducedValue(
    operationsSchema.default(() => []),
    { reducer: (current: FileOperation[], next: FileOperation[]) => [...current, ...next] },
  ),
})
