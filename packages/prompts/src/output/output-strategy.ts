import type { OutputSpec } from '../prompt/render-prompt.ts'
import { strictSchema } from '../schema/strict-schema.ts'
import { outputSchemaOf } from './parse-output.ts'

/** How a model is made to answer with data. `auto`: `provider` if the model says it can, else `tool`. */
export type OutputStrategy = 'auto' | 'provider' | 'tool' | 'text'

/** The tool through which a model hands in its output. */
export const outputToolName = 'submit_output'

export function resolveStrategy(strategy: OutputStrategy, model: object): Exclude<OutputStrategy, 'auto'> {
  if (strategy !== 'auto') return strategy
  const profile = 'profile' in model ? model.profile : undefined
  const native =
    typeof profile === 'object' &&
    profile !== null &&
    'structuredOutput' in profile &&
    profile.structuredOutput === true
  return native ? 'provider' : 'tool'
}

/** Call options under which each provider looks for a schema, as langchain's own agent sets them; `format` is Ollama's. */
export function providerSettings(spec: OutputSpec, title: string): Record<string, unknown> {
  const schema = outputSchemaOf(spec, title)
  const strict = spec.allowExtraKeys ? undefined : strictSchema(schema)
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name: title, schema: strict ?? schema, strict: strict !== undefined },
    },
    outputConfig: { format: { type: 'json_schema', schema } },
    responseSchema: schema,
    format: schema,
  }
}

/** Appended to the instructions when nothing but words can ask for JSON. */
export function textInstructions(spec: OutputSpec, title: string): string {
  const schema = JSON.stringify(outputSchemaOf(spec, title))
  return `## Output format\n\nAnswer with one JSON value and nothing else. It must satisfy this JSON Schema:\n\n\`\`\`json\n${schema}\n\`\`\``
}

/** A name that every provider accepts. */
export function schemaTitle(promptName: string): string {
  return `${promptName.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, 50)}_schema`
}
