import { isRecord } from '@clewline/core'

/**
 * The content of a message as it was sent. LangChain shows its callbacks a copy in which the first block with a
 * `source_type` of `url` or `base64` is an `image_url`, whatever it was (`_formatForTracing`, @langchain/core 1.2.13).
 * The copy is made of all fields of the original, so that it has the original's `lc_kwargs` in its own.
 */
export function sentContent(message: { readonly content: unknown }): unknown {
  const shown = message.content
  if (!Array.isArray(shown) || !shown.some(isShownImage)) return shown
  const sent = fieldOf(fieldOf(fieldOf(message, 'lc_kwargs'), 'lc_kwargs'), 'content')
  if (!Array.isArray(sent) || sent.length !== shown.length) return shown
  const changed = sent.findIndex((block, i) => block !== shown[i])
  // A message whose content was replaced after it was made differs in another way: what is shown is then all there is.
  const isCopy =
    changed >= 0 &&
    urlOf(sent[changed]) === shownUrl(shown[changed]) &&
    sent.every((block, i) => i === changed || block === shown[i])
  return isCopy ? sent : shown
}

function isShownImage(block: unknown): boolean {
  return fieldOf(block, 'type') === 'image_url'
}

const shownUrl = (block: unknown): unknown => fieldOf(fieldOf(block, 'image_url'), 'url')

/** The address that LangChain makes of a block; null for a block that it leaves as it is. */
function urlOf(block: unknown): unknown {
  switch (fieldOf(block, 'source_type')) {
    case 'url':
      return fieldOf(block, 'url')
    case 'base64':
      return `data:${String(fieldOf(block, 'mime_type'))};base64,${String(fieldOf(block, 'data'))}`
    default:
      return null
  }
}

const fieldOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)
