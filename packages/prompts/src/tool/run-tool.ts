import { messageOf } from '../events/delivery.ts'
import type { PromptEvent } from '../events/prompt-event.ts'
import { PromptEvaluationError } from '../limits/prompt-evaluation-error.ts'
import { VisibilityExpansionRequired } from '../prompt/open-sections.ts'
import type { RenderedPrompt } from '../prompt/render-prompt.ts'
import type { Tool, ToolContext } from '../prompt/tool.ts'
import type { SettledCall } from '../result/prompt-response.ts'
import { fail, ok, renderToolResult, resultOf, type ToolResult } from '../result/tool-result.ts'
import { unknownKeys } from '../schema/close-objects.ts'
import { validate, type Validation } from '../schema/schema.ts'
import type { Session } from '../session/session.ts'
import { refusalOf, rememberCall } from './apply-policies.ts'
import { readApproval, type ApprovalRequest } from './approval.ts'
import { Handoff } from './handoff.ts'
import type { ToolEvaluation } from './tool-evaluation.ts'
import { withTimeout } from './with-timeout.ts'

/** A call as the model made it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: unknown
}

/** What the framework around a tool can do. */
export interface ToolHost {
  /** Throws what pauses the run, or returns the answer of a human. */
  interrupt(value: unknown): unknown
  isPause(error: unknown): boolean
  /** Reports progress to the readers of the run. */
  progress(data: unknown): void
}

/** What came of a handler, before it is published. */
interface Attempt {
  readonly params: unknown
  readonly result: ToolResult<unknown>
  readonly tool: Tool | undefined
}

/**
 * Runs a call as a transaction. Whatever goes wrong inside the tool is an answer to the model; what is thrown from
 * here ends or pauses the evaluation.
 */
export async function runTool(
  evaluation: ToolEvaluation,
  call: ToolCall,
  host: ToolHost,
): Promise<SettledCall> {
  const before = evaluation.settled.get(call.id)
  if (before !== undefined) return before
  try {
    evaluation.checkBefore('tool')
  } catch (error) {
    evaluation.stop(error)
    throw error
  }
  const ticket = evaluation.order.begin(call.id)
  const transaction = evaluation.begin(`The call of tool "${call.name}"`)
  const phase = evaluation.enter('tool')
  evaluation.tell({ type: 'tool-start', callId: call.id, name: call.name, params: call.args })
  try {
    const rendered = evaluation.render()
    const attempt = await attemptCall(evaluation, call, rendered, transaction.session, host)
    await ticket.turn()
    evaluation.signal.throwIfAborted()
    const settled = settle(evaluation, call, attempt, transaction)
    evaluation.settled.set(call.id, settled)
    evaluation.tell({ type: 'tool-end', callId: call.id, name: call.name, result: settled.content })
    return settled
  } catch (error) {
    // A paused handler runs again from its start: what it logged would be there twice.
    transaction.rollback({ dropLogs: host.isPause(error) })
    if (error instanceof VisibilityExpansionRequired || error instanceof Handoff) evaluation.stop(error)
    throw error
  } finally {
    phase[Symbol.dispose]()
    ticket.done()
  }
}

async function attemptCall(
  evaluation: ToolEvaluation,
  call: ToolCall,
  rendered: RenderedPrompt,
  session: Session,
  host: ToolHost,
): Promise<Attempt> {
  const tool = rendered.tools.find((each) => each.name === call.name)
  const refused = (message: string): Attempt => ({ params: call.args, result: fail(message), tool })
  if (tool === undefined)
    return refused(
      `There is no tool '${call.name}'. Tools: ${rendered.tools.map((each) => each.name).join(', ')}.`,
    )
  const malformed = evaluation.malformed.get(call.id)
  if (malformed !== undefined)
    return {
      params: malformed,
      result: fail('Tool validation failed: the arguments are not valid JSON.'),
      tool,
    }
  const checked = await checkParams(tool, call.args)
  if (!checked.ok) return refused(`Tool validation failed: ${checked.message}`)

  let pause: { readonly error: unknown } | undefined
  const context = (signal: AbortSignal): ToolContext => ({
    prompt: evaluation.prompt,
    rendered,
    adapter: evaluation.adapter,
    session,
    callId: call.id,
    signal,
    deadline: evaluation.limits.deadline,
    budget: evaluation.limits.tracker,
    interrupt(value) {
      try {
        return pauseFor(evaluation, host, value)
      } catch (error) {
        pause = { error }
        throw error
      }
    },
    progress(data) {
      evaluation.tell({ type: 'tool-progress', callId: call.id, name: call.name, data })
      host.progress(data)
    },
  })

  let params: unknown = checked.value
  try {
    const result = await withTimeout(tool, evaluation, async (signal) => {
      const refusal = await refusalOf({ tool: tool.name, params }, context(signal))
      if (refusal !== undefined) return fail(refusal)
      const approval = await approve(tool, params, context(signal))
      if (typeof approval === 'string') return fail(approval)
      if (approval.params !== undefined) {
        const edited = await checkParams(tool, approval.params)
        if (!edited.ok) return fail(`Tool validation failed: ${edited.message}`)
        params = edited.value
        const objection = await refusalOf({ tool: tool.name, params }, context(signal))
        if (objection !== undefined) return fail(objection)
      }
      return resultOf(await tool.handler(params, context(signal)))
    })
    // A handler may catch what pauses it; the run pauses all the same.
    if (pause !== undefined) throw pause.error
    return { params, result, tool }
  } catch (error) {
    evaluation.signal.throwIfAborted()
    if (pause !== undefined) throw pause.error
    if (error instanceof VisibilityExpansionRequired && evaluation.disclosure === 'inline')
      return { params, result: openInline(evaluation, error), tool }
    if (error instanceof VisibilityExpansionRequired || error instanceof Handoff || host.isPause(error))
      throw error
    return { params, result: fail(`Tool '${tool.name}' execution failed: ${messageOf(error)}`), tool }
  }
}

async function checkParams(tool: Tool, args: unknown): Promise<Validation<unknown>> {
  const extra = unknownKeys(tool.inputSchema, args)
  if (extra.length > 0) return { ok: false, message: `unknown ${extra.join(', ')}` }
  return tool.params === undefined ? { ok: true, value: undefined } : validate(tool.params, args)
}

/** The text of a denial, or leave to go on. */
async function approve(
  tool: Tool,
  params: unknown,
  context: ToolContext,
): Promise<string | { params?: unknown }> {
  const { needsApproval = false } = tool
  const needed = typeof needsApproval === 'boolean' ? needsApproval : await needsApproval(params, context)
  if (!needed) return {}
  const request: ApprovalRequest = { type: 'approval', tool: tool.name, callId: context.callId, params }
  const approval = readApproval(context.interrupt(request))
  return approval.approved ? approval : `Tool '${tool.name}' was denied: ${approval.reason}`
}

function pauseFor(evaluation: ToolEvaluation, host: ToolHost, value: unknown): unknown {
  if (evaluation.canPause) return host.interrupt(value)
  const error = new PromptEvaluationError(
    'A tool asks a human, which needs a checkpointer: give the adapter one, such as new MemorySaver().',
    { promptName: evaluation.prompt.name, phase: 'tool' },
  )
  evaluation.stop(error)
  throw error
}

function openInline(evaluation: ToolEvaluation, request: VisibilityExpansionRequired): ToolResult<unknown> {
  evaluation.open(request.overrides)
  const keys = Object.keys(request.overrides).join(', ')
  if (!evaluation.disclosesInAnswer) return ok(null, `Opened ${keys}: see your instructions.`)
  return ok(evaluation.render().text, `Opened ${keys}. The instructions are now:`)
}

/** Publishes, then commits; a subscriber that fails rolls the call back. */
function settle(
  evaluation: ToolEvaluation,
  call: ToolCall,
  { params, result, tool }: Attempt,
  transaction: { readonly session: Session; commit(): void; rollback(): void },
): SettledCall {
  const { session } = evaluation
  const render = tool?.render === undefined ? undefined : (value: unknown) => tool.render?.(value) ?? ''
  const eventOf = (of: ToolResult<unknown>): PromptEvent<'ToolInvoked'> =>
    Object.assign(evaluation.head(), {
      type: 'ToolInvoked' as const,
      name: call.name,
      callId: call.id,
      params,
      result: of,
      rendered: renderToolResult(of, render),
    })
  let event = eventOf(result)
  const published = session.bus.publish(event)
  if (!published.ok) {
    const errors = published.errors.map((each) => messageOf(each.error)).join('; ')
    event = eventOf(fail(`Subscriber errors prevented applying the result of tool '${call.name}': ${errors}`))
  }
  if (event.result.success && tool?.result !== undefined && event.result.value !== null)
    transaction.session.collect(tool.result, [event.result.value])
  if (event.result.success)
    rememberCall(evaluation.prompt.template, { tool: call.name, params }, transaction.session)
  if (event.result.success) transaction.commit()
  else transaction.rollback()
  session.apply(event, published.ok ? undefined : 'log')
  evaluation.tell({ type: 'event', event })
  return { callId: call.id, content: event.rendered, status: event.result.success ? 'success' : 'error' }
}
