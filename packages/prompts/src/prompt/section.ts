import { isRecord } from '@clewline/core'
import { assertSchema, looseSchemaOf, type In, type Out, type Schema } from '../schema/schema.ts'
import type { SessionView } from '../session/session.ts'
import type { Visibility } from '../visibility.ts'
import type { Tool } from './tool.ts'
import { parameterNames, type ParameterNames } from './parameter-names.ts'
import { dedent, placeholdersOf, type CheckedTemplate } from './placeholders.ts'
import { assertShape, PromptDefinitionError } from '../prompt-definition-error.ts'
import type { Shape } from '../shape.ts'

/** What `section()` takes, besides the template. */
export interface SectionDefinition<P extends Schema | undefined, C, D> {
  /** `a-z`, `0-9`, `.`, `_`, `-`; it becomes part of the path. */
  readonly key: string
  readonly title: string
  readonly params?: P
  /** Used for parameters that are not bound. */
  readonly defaults?: D & Partial<In<P>>
  readonly children?: C
  readonly tools?: readonly Tool[]
  readonly summary?: string
  readonly visibility?: Visibility | ((params: Out<P>, session?: SessionView) => Visibility)
  /** False keeps the text out of reach of overrides. Default true. */
  readonly acceptsOverrides?: boolean
  /** False leaves out the section with its children and tools. */
  enabled?(params: Out<P>, session?: SessionView): boolean
}

/** A part of a prompt that carries its parameters and tools. `I` is what `bind` must be given for it. */
export interface Section<I = unknown> {
  readonly key: string
  readonly title: string
  readonly template: string
  readonly summary: string | undefined
  readonly children: readonly Section[]
  readonly tools: readonly Tool[]
  readonly params: Schema | undefined
  /** Names of its parameters; nothing else of what is bound reaches its schema, unless it is open. */
  readonly names: readonly string[]
  /** True when its schema also takes parameters that no section names. */
  readonly isOpen: boolean
  readonly defaults: Readonly<Record<string, unknown>>
  readonly acceptsOverrides: boolean
  readonly visibility: Visibility | ((params: unknown, session?: SessionView) => Visibility)
  enabled(params: unknown, session?: SessionView): boolean
  /** True when nothing but parameters and overrides decides what is shown. */
  readonly isStatic: boolean
  /** Only for the type. */
  '~bind'?(params: I): void
}

type OwnInput<P, D> = unknown extends D ? In<P> : WithDefaults<In<P>, D>

/** Distributes over the branches of a union, each of which has its own keys. */
type WithDefaults<I, D> = I extends unknown ? Omit<I, keyof D> & Partial<Pick<I, keyof D & keyof I>> : never

/** What all sections of a list need together. */
export type BindOf<S extends readonly Section[]> = S extends readonly [
  infer H,
  ...infer R extends readonly Section[],
]
  ? (H extends Section<infer I> ? I : unknown) & BindOf<R>
  : unknown

const keyPattern = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** Keys are parts of paths and of the names of files. `what` says what the key is of. */
export function assertKey(key: string, what: string): void {
  if (typeof key === 'string' && keyPattern.test(key)) return
  throw new PromptDefinitionError(`"${key}" cannot be ${what}.`, {
    hint: 'Use 1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit.',
    section: key,
  })
}

const sectionShape: Shape = {
  key: 'text',
  title: 'text',
  template: 'text',
  params: 'any?',
  defaults: 'object?',
  children: 'list?',
  tools: 'list?',
  summary: 'text?',
  visibility: 'any?',
  acceptsOverrides: 'boolean?',
  enabled: 'function?',
  // Of a section that is spread into another.
  names: 'list?',
  isOpen: 'boolean?',
  isStatic: 'boolean?',
}

/** Declares a section. Placeholders are checked against the parameters, here and by the compiler. */
export function section<
  const T extends string,
  P extends Schema | undefined = undefined,
  const C extends readonly Section[] = readonly [],
  D = unknown,
>(
  definition: SectionDefinition<P, C, D> & { readonly template: CheckedTemplate<T, P> & T },
): Section<OwnInput<P, D> & BindOf<C>> {
  assertShape('a section', definition, sectionShape)
  const { key, title, params } = definition
  assertKey(key, 'the key of a section')
  if (title.trim() === '')
    throw new PromptDefinitionError(`The section "${key}" needs a title.`, {
      hint: 'It is its heading.',
      section: key,
    })
  assertMembers(key, definition)
  const { names, isOpen } = params === undefined ? noParameters : namesOf(key, params)
  const template = dedent(definition.template)
  assertPlaceholders(key, [template, definition.summary ?? ''], { names, isOpen })
  return {
    key,
    title: title.trim(),
    template,
    summary: definition.summary === undefined ? undefined : dedent(definition.summary),
    children: definition.children ?? [],
    tools: definition.tools ?? [],
    params,
    names,
    isOpen,
    isStatic:
      definition.enabled === undefined &&
      typeof definition.visibility !== 'function' &&
      (definition.children ?? []).every((child) => child.isStatic),
    defaults: { ...definition.defaults },
    acceptsOverrides: definition.acceptsOverrides ?? true,
    visibility: (definition.visibility ?? 'full') as Section['visibility'],
    enabled: (bound, session) => definition.enabled?.(bound as Out<P>, session) ?? true,
  }
}

function assertMembers(
  key: string,
  {
    tools = [],
    children,
    visibility = 'full',
  }: { readonly tools?: readonly unknown[]; readonly children?: unknown; readonly visibility?: unknown },
): void {
  if (!tools.every((each) => isRecord(each) && 'inputSchema' in each))
    throw new PromptDefinitionError(`A tool of the section "${key}" was not made by tool().`, {
      hint: 'Make each with tool({ name, description, handler }).',
      section: key,
    })
  if (Array.isArray(children)) assertSections(children)
  if (typeof visibility !== 'function' && visibility !== 'full' && visibility !== 'summary')
    throw new PromptDefinitionError(`The visibility of the section "${key}" is not known.`, {
      hint: 'It is "full", "summary", or a function that returns one of them.',
      section: key,
    })
}

/** Refuses what was not made by `section()`. */
export function assertSections(sections: readonly unknown[]): void {
  if (sections.every((each) => isRecord(each) && 'isStatic' in each)) return
  throw new PromptDefinitionError('A section was not made by section().', {
    hint: 'Make each with section({ key, title, template }).',
  })
}

const noParameters: ParameterNames = { names: [], isOpen: false }

function namesOf(key: string, params: Schema): ParameterNames {
  assertSchema(params, `The schema of the parameters of the section "${key}"`)
  const found = parameterNames(looseSchemaOf(params))
  if (found !== undefined) return found
  throw new PromptDefinitionError(
    `The parameters of the section "${key}" are not an object with named fields.`,
    {
      hint: 'Use an object schema.',
      section: key,
    },
  )
}

/** Refuses placeholders that have no parameter. */
export function assertPlaceholders(
  section: string,
  texts: readonly string[],
  { names, isOpen }: ParameterNames,
): void {
  const missing = texts.flatMap(placeholdersOf).filter((name) => !names.includes(name))
  if (isOpen || missing.length === 0) return
  throw new PromptDefinitionError(
    `Section "${section}" uses {{${missing.join('}}, {{')}}}, which is no parameter.`,
    {
      hint: names.length === 0 ? 'Give the section a params schema.' : `Its parameters: ${names.join(', ')}.`,
      section,
    },
  )
}

/** Whether a section or one below it has tools. */
export const carriesTools = (section: Section): boolean =>
  section.tools.length > 0 || section.children.some(carriesTools)
