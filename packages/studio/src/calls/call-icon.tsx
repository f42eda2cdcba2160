import type { Call } from '@clewline/core/view'
import { Bot, Box, CircleDot, Sparkles, Workflow, Wrench, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

const ICONS: Readonly<Record<Call['kind'], LucideIcon>> = {
  graph: Workflow,
  subgraph: Box,
  subagent: Bot,
  tool: Wrench,
  llm: Sparkles,
  node: CircleDot,
}

export function CallIcon({ kind }: { readonly kind: Call['kind'] }): ReactNode {
  const Icon = ICONS[kind]
  return <Icon size={13} aria-hidden />
}
