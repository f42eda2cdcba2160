import { assertShape, PromptDefinitionError } from '../prompt-definition-error.ts'
import { inputSchemaOf, looseSchemaOf, modelSchemaOf, type Out, type Schema } from '../schema/schema.ts'
import type { Shape } from '../shape.ts'
import type { SectionPath } from '../visibility.ts'
import type { CompletionVerdict, FinalAnswer } from './completion.ts'
import { contentHash } from './content-hash.ts'
import { PromptRenderError } from './prompt-render-error.ts'
import { renderPrompt, type OutputSpec, type RenderedPrompt, type RenderOptions } from './render-prompt.ts'
import { assertKey, assertSections, type BindOf, type Section } from './section.ts'
import type { Tool } from './tool.ts'
import type { ToolPolicy } from './tool-policy.ts'

type BindArguments<P> = Partial<P> extends P ? [params?: P] : [params: P]

/** A prompt without its parameters. */
export interface PromptTemplate<P = unknown, O = unknown> {
  readonly ns: string
  readonly key: string
  /** `name`, or namespace and key. */
  readonly name: string
  readonly sections: readonly Section[]
  /** Tools of all sections, whatever is enabled or open. */
  readonly tools: readonly Tool[]
  readonly output: OutputSpec | undefined
  readonly policies: readonly ToolPolicy[]
  completion?(answer: FinalAnswer<O>): CompletionVerdict | Promise<CompletionVerdict>
  /** Changes when text, tools or schemas change; not with the process or the order of keys. */
  readonly hash: string
  bind(...params: BindArguments<P>): Prompt<P, O>
}

/** A prompt that can be evaluated. Immutable. */
export interface Prompt<P = unknown, O = unknown> {
  readonly template: PromptTemplate<P, O>
  readonly name: string
  readonly params: P
  render(options?: RenderOptions): RenderedPrompt
  /** Only for the type. */
  readonly '~output'?: O
}

export interface PromptDefinition<S, O, A> {
  readonly ns: string
  readonly key: string
  readonly name?: string
  readonly sections: S
  /** Makes the model answer with data of this shape. */
  readonly output?: O
  /** `array`: a list of `output`. */
  readonly container?: A
  readonly allowExtraKeys?: boolean
  /** Rules about when its tools may be called: `toolOrder`, `readBeforeWrite`, or your own. */
  readonly policies?: readonly ToolPolicy[]
  /** Called with each answer that the model takes for its last. The sentence it returns is sent to the model, which goes on. */
  completion?(answer: FinalAnswer<OutputOf<O, A>>): CompletionVerdict | Promise<CompletionVerdict>
}

/** Output of a prompt: the schema's type, a list of it, or undefined for text. */
export type OutputOf<O, A> = O extends Schema ? (A extends 'array' ? Out<O>[] : Out<O>) : undefined

const promptShape: Shape = {
  ns: 'text',
  key: 'text',
  name: 'text?',
  sections: 'list',
  output: 'any?',
  container: 'text?',
  allowExtraKeys: 'boolean?',
  policies: 'list?',
  completion: 'function?',
}

const policyShape: Shape = { name: 'text', tools: 'list', check: 'function', remember: 'function' }

/** Declares a prompt. Parameters of all sections are bound together, as one object. */
export function definePrompt<
  const S extends readonly Section[],
  O extends Schema | undefined = undefined,
  const A extends 'object' | 'array' = 'object',
>(definition: PromptDefinition<S, O, A>): PromptTemplate<BindOf<S>, OutputOf<O, A>> {
  assertShape('a prompt', definition, promptShape)
  const { ns, key, sections } = definition
  assertSections(sections)
  for (const [field, value] of [
    ['ns', ns],
    ['key', key],
  ] as const) {
    if (value.trim() === '')
      throw new PromptDefinitionError(`A prompt needs a ${field}.`, {
        hint: 'Namespace and key identify it.',
      })
    assertKey(value, `the ${field} of a prompt`)
  }
  const all = flatten(sections, '')
  assertUnique(all)
  const output: OutputSpec | undefined =
    definition.output === undefined
      ? undefined
      : {
          schema: definition.output,
          container: definition.container ?? 'object',
          allowExtraKeys: definition.allowExtraKeys ?? false,
        }
  if (output !== undefined && output.container !== 'object' && output.container !== 'array')
    throw new PromptDefinitionError(`The container of the output of "${ns}.${key}" is not known.`, {
      hint: 'It is "object" or "array".',
    })
  const outputSchema = output && modelSchemaOf(output.schema, `the output of "${ns}.${key}"`)
  if (output?.container === 'object' && outputSchema?.['type'] !== 'object')
    throw new PromptDefinitionError(`The output of "${ns}.${key}" is not an object.`, {
      hint: 'Providers return objects: wrap the value, z.object({ answer: z.string() }), or use container: "array".',
    })
  const paths = new Set(all.map(({ path }) => path))
  const names = new Set(all.flatMap(({ section }) => section.names))
  const tools = all.flatMap(({ section }) => section.tools)
  const { policies = [] } = definition
  assertPolicies(policies, tools)
  const takesAny = all.some(({ section }) => section.isOpen)
  const name = definition.name ?? `${ns}.${key}`

  const template: PromptTemplate<BindOf<S>, OutputOf<O, A>> = {
    ns,
    key,
    name,
    sections,
    tools,
    output,
    policies,
    ...(definition.completion !== undefined && { completion: (answer) => definition.completion?.(answer) }),
    hash: contentHash({
      ns,
      key,
      name,
      sections: all.map(describe),
      output: output === undefined ? null : describeOutput(output),
      ...(policies.length > 0 && { policies: policies.map(({ name: each, tools: about }) => [each, about]) }),
    }),
    bind(...[params]) {
      const bound: Readonly<Record<string, unknown>> = Object.freeze({ ...(params as object | undefined) })
      const stray = takesAny ? [] : Object.keys(bound).filter((each) => !names.has(each))
      if (stray.length > 0)
        throw new PromptRenderError(`No section of "${name}" has a parameter ${stray.join(', ')}.`, {
          hint:
            names.size === 0 ? 'The prompt has no parameters.' : `Its parameters: ${[...names].join(', ')}.`,
          section: '',
        })
      return {
        template,
        name,
        params: bound as BindOf<S>,
        render(options = {}) {
          const astray = Object.keys(options.visibility ?? {}).find((path) => !paths.has(path))
          if (astray !== undefined)
            throw new PromptRenderError(`"${name}" has no section "${astray}".`, {
              hint: `Its sections: ${[...paths].join(', ')}.`,
              section: astray,
            })
          return renderPrompt({ sections, names, output }, bound, options)
        },
      }
    },
  }
  return template
}

/** The same prompt with other sections. */
export function withSections<P, O>(
  template: PromptTemplate<P, O>,
  sections: readonly Section[],
): PromptTemplate<P, O> {
  const { ns, key, name, output, policies } = template
  // The sections are edited or added to, not exchanged: what has to be bound stays the same.
  return definePrompt({
    ns,
    key,
    name,
    sections,
    policies,
    ...(output !== undefined && {
      output: output.schema,
      container: output.container,
      allowExtraKeys: output.allowExtraKeys,
    }),
    ...(template.completion !== undefined && {
      completion: (answer: FinalAnswer) => template.completion?.(answer as FinalAnswer<O>),
    }),
  }) as PromptTemplate<P, O>
}

function assertPolicies(policies: readonly ToolPolicy[], tools: readonly Tool[]): void {
  const names = new Set(tools.map((tool) => tool.name))
  for (const policy of policies) {
    assertShape('a policy', policy, policyShape, { isOpen: true })
    const unknown = policy.tools.filter((name) => !names.has(name))
    if (unknown.length > 0)
      throw new PromptDefinitionError(
        `The policy "${policy.name}" is about ${unknown.join(', ')}, which the prompt does not have.`,
        { hint: `Its tools: ${[...names].join(', ')}.` },
      )
  }
  const twice = policies.find((each, at) => policies.findIndex(({ name }) => name === each.name) !== at)
  if (twice !== undefined)
    throw new PromptDefinitionError(`Two policies are named "${twice.name}".`, {
      hint: 'Policies remember by their name: { ...policy, name: "another" }.',
    })
}

interface Placed {
  readonly path: SectionPath
  readonly section: Section
}

function flatten(sections: readonly Section[], parent: string): Placed[] {
  return sections.flatMap((section) => {
    const path = parent === '' ? section.key : `${parent}.${section.key}`
    return [{ path, section }, ...flatten(section.children, path)]
  })
}

function assertUnique(all: readonly Placed[]): void {
  const paths = new Set<string>()
  const owners = new Map<string, string>()
  for (const { path, section } of all) {
    if (paths.has(path))
      throw new PromptDefinitionError(`Two sections have the path "${path}".`, {
        hint: 'Give them different keys.',
        section: path,
      })
    paths.add(path)
    for (const { name } of section.tools) {
      const owner = owners.get(name)
      if (owner !== undefined)
        throw new PromptDefinitionError(
          `The tool "${name}" is in section "${owner}" and in section "${path}".`,
          {
            hint: 'A tool name may occur once in a prompt.',
            section: path,
          },
        )
      owners.set(name, path)
    }
  }
}

function describe({ path, section }: Placed): unknown {
  const { title, template, summary, visibility, defaults, params } = section
  return {
    path,
    title,
    template,
    summary: summary ?? null,
    visibility: typeof visibility === 'string' ? visibility : 'computed',
    defaults,
    params: params === undefined ? null : looseSchemaOf(params),
    tools: section.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      params: tool.inputSchema,
      examples: tool.examples ?? [],
    })),
  }
}

function describeOutput(output: OutputSpec): unknown {
  return { ...output, schema: inputSchemaOf(output.schema) }
}
