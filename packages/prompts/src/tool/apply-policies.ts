import type { PromptTemplate } from '../prompt/prompt.ts'
import type { ToolContext } from '../prompt/tool.ts'
import type { PolicyCall, ToolPolicy } from '../prompt/tool-policy.ts'
import { PolicyFacts } from '../session/policy-facts.ts'
import type { Session } from '../session/session.ts'

/** Why a call may not be made: the reason of the first policy that objects. */
export async function refusalOf(call: PolicyCall, context: ToolContext): Promise<string | undefined> {
  const { template } = context.prompt
  for (const policy of template.policies) {
    if (!policy.tools.includes(call.tool)) continue
    const id = idOf(template, policy)
    const known = context.session.query(PolicyFacts).where((each) => each.policy === id)
    const facts = new Set(known.map(({ fact }) => fact))
    const reason = await policy.check(call, facts, context)
    if (reason !== undefined) return `Tool '${call.tool}' may not be called now. ${reason}`
  }
  return undefined
}

/** Keeps what the policies remember of a call that succeeded. */
export function rememberCall(template: PromptTemplate, call: PolicyCall, session: Session): void {
  for (const policy of template.policies) {
    const fact = policy.tools.includes(call.tool) ? policy.remember(call) : undefined
    if (fact !== undefined) session.collect(PolicyFacts.schema, [{ policy: idOf(template, policy), fact }])
  }
}

const idOf = ({ ns, key }: PromptTemplate, { name }: ToolPolicy): string => `${ns}.${key}/${name}`
