import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import type { AgentRuntime } from './agent-runtime.ts'
import { answer } from './answer.ts'
import type { Sandbox } from './sandbox.ts'

/** The tool that runs commands in a sandbox of the user's. */
export function executeTool(sandbox: Sandbox) {
  return tool(
    async ({ command }, runtime: AgentRuntime) => {
      const { signal } = runtime
      const { output, exitCode } = await sandbox.execute(command, signal === undefined ? {} : { signal })
      const end = exitCode === null ? 'The command was killed.' : `Exit code ${exitCode}.`
      return answer(runtime, {
        tool: 'execute',
        text: output === '' ? end : `${output.trimEnd()}\n\n[${end}]`,
        failed: exitCode !== 0,
        artifact: { exitCode },
      })
    },
    {
      name: 'execute',
      description: `Run a shell command in ${sandbox.description}. The files of the workspace are not there.`,
      schema: z.object({ command: z.string().min(1).describe('The command line') }),
    },
  )
}
