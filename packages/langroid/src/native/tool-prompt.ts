import { toolText, type ToolMessage } from './tool-message.ts'

/** What the system message says about tools. Text tools need their format; API tools only what their authors add. */
export function toolPrompt(tools: readonly ToolMessage[], format: 'api' | 'text'): string {
  const blocks = [guidelines(tools, format)]
  if (format === 'text' && tools.length > 0) blocks.push(formatRules(tools))
  return blocks.filter((block) => block !== '').join('\n\n')
}

function guidelines(tools: readonly ToolMessage[], format: 'api' | 'text'): string {
  const lines = tools.flatMap((tool) => {
    const guidance = tool.instructions === undefined ? [] : [`GUIDANCE: ${tool.instructions}`]
    const examples = format === 'api' && tool.examples.length > 0 ? [`EXAMPLES:\n${examplesOf(tool)}`] : []
    return guidance.length + examples.length === 0
      ? []
      : [`TOOL: ${tool.request}:`, ...guidance, ...examples, '']
  })
  return lines.length === 0
    ? ''
    : ['=== GUIDELINES ON SOME TOOLS/FUNCTIONS USAGE ===', ...lines].join('\n').trim()
}

function formatRules(tools: readonly ToolMessage[]): string {
  const blocks = tools.map((tool) => {
    const examples = tool.examples.length === 0 ? '' : `\n${examplesOf(tool)}`
    return [
      `TOOL: ${tool.request}`,
      `PURPOSE: ${tool.purpose}`,
      `JSON FORMAT: ${JSON.stringify(textSchema(tool))}${examples}`,
    ].join('\n')
  })
  return [
    '=== ALL AVAILABLE TOOLS and THEIR FORMAT INSTRUCTIONS ===',
    'You have access to the following TOOLS to accomplish your task:',
    '',
    blocks.join('\n\n'),
    '',
    'When one of the above TOOLs is applicable, you must express your request as "TOOL:" followed by the request in the above JSON format.',
  ].join('\n')
}

function textSchema(tool: ToolMessage): object {
  const { properties, required } = tool.parameters
  return {
    ...tool.parameters,
    properties: { request: { type: 'string', enum: [tool.request] }, ...Object(properties) },
    required: ['request', ...(Array.isArray(required) ? required : [])],
  }
}

function examplesOf(tool: ToolMessage): string {
  return tool.examples
    .map(({ thought, fields }, i) => {
      const lead = thought === undefined ? '' : ` (THOUGHT: ${thought}) =>`
      return `EXAMPLE ${i + 1}:${lead}\n${toolText({ name: tool.request, args: fields })}`
    })
    .join('\n')
}
