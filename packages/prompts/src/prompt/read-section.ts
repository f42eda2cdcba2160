import { fail, ok } from '../result/tool-result.ts'
import { fromJsonSchema } from '../schema/from-json-schema.ts'
import { defineTool, type Tool } from './tool.ts'

const params = fromJsonSchema<{ readonly section_key: string }>({
  type: 'object',
  properties: { section_key: { type: 'string', description: 'Path of a summarized section.' } },
  required: ['section_key'],
})

/**
 * Offered while a section without tools is summarized. Its text is the answer: the instructions stay as they are, so
 * the provider's cache of them holds and no conversation starts again.
 */
export const readSectionTool: Tool = defineTool({
  name: 'read_section',
  description: 'Reads the full text of a summarized section of these instructions.',
  params,
  handler({ section_key: key }, { rendered }) {
    if (rendered.open.includes(key)) return fail(`Section '${key}' is already shown in full.`)
    const found = rendered.read(key)
    if (found === undefined) return fail(`Section '${key}' does not exist in this prompt.`)
    return found.hasTools ? fail(`Section '${key}' has tools: open it with open_sections.`) : ok(found.text)
  },
})
