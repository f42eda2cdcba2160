import { isRecord } from '@clewline/core'
import { assertShape, PromptDefinitionError } from '../prompt-definition-error.ts'
import type { ToolContext } from './tool.ts'

/** A call that a policy judges, with its validated parameters. */
export interface PolicyCall {
  readonly tool: string
  readonly params: unknown
}

/**
 * A rule about when tools may be called. It remembers facts about calls that succeeded; facts belong to the prompt and
 * live in the session, so they survive a pause and a snapshot, and a call that is rolled back leaves none.
 */
export interface ToolPolicy {
  readonly name: string
  /** The tools that it is about. The prompt must have them. */
  readonly tools: readonly string[]
  /** Why this call may not be made now, as an answer to the model; undefined lets it through. */
  check(
    call: PolicyCall,
    facts: ReadonlySet<string>,
    context: ToolContext,
  ): string | undefined | Promise<string | undefined>
  /** A fact to remember of a call that succeeded. */
  remember(call: PolicyCall): string | undefined
}

/** A tool may be called only after others have succeeded: `toolOrder({ deploy: ['build', 'test'] })`. */
export function toolOrder(needs: Readonly<Record<string, readonly string[]>>): ToolPolicy {
  const names = isRecord(needs) ? Object.keys(needs) : []
  assertShape('toolOrder', needs, Object.fromEntries(names.map((name) => [name, 'list'])))
  const required = new Set(Object.values(needs).flat())
  assertAcyclic(needs)
  return {
    name: 'tool-order',
    tools: [...new Set([...Object.keys(needs), ...required])],
    check({ tool }, facts) {
      const missing = (Object.hasOwn(needs, tool) ? (needs[tool] ?? []) : []).filter(
        (each) => !facts.has(each),
      )
      return missing.length === 0 ? undefined : `Call ${missing.join(', ')} first, and wait for the result.`
    },
    remember: ({ tool }) => (required.has(tool) ? tool : undefined),
  }
}

/** What is there may be changed only after it was read, or written, in this session. */
export function readBeforeWrite(options: {
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** The parameter that says what is read or written; default `path`. */
  readonly by?: string
  /** Whether it is there already: what is new needs no reading. Default: everything is. */
  exists?(target: string, context: ToolContext): boolean | Promise<boolean>
}): ToolPolicy {
  assertShape('readBeforeWrite', options, { read: 'list', write: 'list', by: 'text?', exists: 'function?' })
  const { read, write, by = 'path' } = options
  const targetOf = ({ params }: PolicyCall): string | undefined => {
    const target = isRecord(params) ? params[by] : undefined
    return target === undefined || typeof target === 'string' ? target : JSON.stringify(target)
  }
  return {
    name: 'read-before-write',
    tools: [...read, ...write],
    async check(call, facts, context) {
      if (!write.includes(call.tool)) return undefined
      const target = targetOf(call)
      if (target === undefined) return `Say what to change, by the parameter "${by}".`
      if (facts.has(target)) return undefined
      if (options.exists !== undefined && !(await options.exists(target, context))) return undefined
      return `Read "${target}" with ${read.join(' or ')} before you change it, and wait for the result.`
    },
    remember: (call) => ([...read, ...write].includes(call.tool) ? targetOf(call) : undefined),
  }
}

/** Tools that wait for each other could never be called. */
function assertAcyclic(needs: Readonly<Record<string, readonly string[]>>): void {
  const visit = (tool: string, trail: readonly string[]): void => {
    if (trail.includes(tool))
      throw new PromptDefinitionError(`No order satisfies ${[...trail, tool].join(' → ')}.`, {
        hint: 'Each tool waits for the next: take one of them out.',
      })
    if (Object.hasOwn(needs, tool)) needs[tool]?.forEach((each) => visit(each, [...trail, tool]))
  }
  Object.keys(needs).forEach((tool) => visit(tool, []))
}
