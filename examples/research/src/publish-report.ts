import { tool, type ToolRuntime } from '@langchain/core/tools'
import { z } from 'zod'

type State = { files?: Readonly<Record<string, string>> }

/** Publishes a file of the workspace. In this example that means: checks it and declares it final. A human approves first. */
export const publishReport = tool(
  ({ file_path, title }, runtime: ToolRuntime<State>) => {
    const { files = {} } = runtime.state
    const report = Object.hasOwn(files, file_path) ? files[file_path] : undefined
    if (report === undefined) return `Not published: there is no file ${file_path}.`
    const checks = [
      () => report.startsWith('# ') || 'it has no title',
      () => /^## /m.test(report) || 'it has no sections',
      () => !/\bTODO\b/.test(report) || 'it still has a TODO',
    ]
    for (const [index, check] of checks.entries()) {
      const verdict = check()
      if (typeof verdict === 'string') return `Not published: ${verdict}.`
      runtime.writer?.({ clewline: { progress: { done: index + 1, total: checks.length } } })
    }
    const words = report.split(/\s+/).length
    return `Published "${title}" (${file_path}, ${words} words).`
  },
  {
    name: 'publish_report',
    description: 'Publish a finished report. A human has to approve it.',
    schema: z.object({
      file_path: z.string().describe('The file to publish, such as final_report.md'),
      title: z.string().min(1).describe('Its title'),
    }),
  },
)
