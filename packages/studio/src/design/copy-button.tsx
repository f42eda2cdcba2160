import { Check, Copy } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { copyText } from './copy-text.ts'
import { IconButton } from './icon-button.tsx'

export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string
  readonly label?: string
}): ReactNode {
  const [isCopied, setCopied] = useState(false)
  async function copy(): Promise<void> {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <IconButton label={isCopied ? 'Copied' : label} size="small" onClick={() => void copy()}>
      {isCopied ? <Check size={13} /> : <Copy size={13} />}
    </IconButton>
  )
}
