import { renderValue } from '../result/tool-result.ts'
import type { Tool } from './tool.ts'

/** The `Tools:` block under a section: only tools with examples need one, models get the rest as schema. */
export function renderExamples(tools: readonly Tool[]): string {
  const lines = tools.flatMap((tool) => {
    if (tool.examples === undefined || tool.examples.length === 0) return []
    return [
      `- ${tool.name}: ${tool.description}`,
      `  - ${tool.name} examples:`,
      ...tool.examples.flatMap((example) => [
        `    - description: ${example.description}`,
        '      input:',
        ...fence('json', JSON.stringify(example.input ?? {})),
        '      output:',
        ...fence(
          '',
          renderValue(example.output, tool.render === undefined ? undefined : (v) => tool.render?.(v) ?? ''),
        ),
      ]),
    ]
  })
  return lines.length === 0 ? '' : ['Tools:', ...lines].join('\n')
}

function fence(language: string, text: string): string[] {
  return ['```' + language, ...text.split('\n'), '```'].map((line) => `        ${line}`)
}
