import type { ContentPart, PartSource } from '@ag-ui/core'
import { isRecord, type Json, type JsonObject } from '@clewline/core'

/** Content blocks as AG-UI's parts; null when there is only text in them that AG-UI has a part for. */
export function aguiParts(blocks: readonly Json[]): ContentPart[] | null {
  const parts = blocks.flatMap((block) => partOf(block) ?? [])
  return parts.some(({ type }) => type !== 'text') ? parts : null
}

function partOf(block: Json): ContentPart | null {
  if (typeof block === 'string') return { type: 'text', text: block }
  if (!isRecord(block)) return null
  if (block['type'] === 'text')
    return typeof block['text'] === 'string' ? { type: 'text', text: block['text'] } : null
  const source = sourceOf(block)
  return (
    source && { type: mediumOf(text(block['type']) ?? '', source.mimeType), source, ...metadataOf(block) }
  )
}

/** AG-UI's own parts, Anthropic's and OpenAI's blocks, and LangChain's of v0 (`source_type`) and v1. */
function sourceOf(block: JsonObject): PartSource | null {
  const { source, image_url, input_audio, file } = block
  if (isRecord(source)) {
    const mime = text(source['mimeType']) ?? text(source['media_type'])
    const value = text(source['value']) ?? text(source['data']) ?? text(source['url'])
    return value === undefined ? null : located(value, mime, isUrl(source['type']))
  }
  if (image_url !== undefined) {
    const url = text(isRecord(image_url) ? image_url['url'] : image_url)
    return url === undefined ? null : located(url, undefined, true)
  }
  if (isRecord(input_audio)) {
    const data = text(input_audio['data'])
    return data === undefined ? null : located(data, `audio/${text(input_audio['format']) ?? 'wav'}`, false)
  }
  if (isRecord(file)) {
    const data = text(file['file_data'])
    return data === undefined ? null : located(data, 'application/pdf', data.startsWith('data:'))
  }
  const mime = text(block['mimeType']) ?? text(block['mime_type'])
  const data = text(block['data'])
  if (data !== undefined) return located(data, mime, data.startsWith('data:'))
  const url = text(block['url'])
  return url === undefined ? null : located(url, mime, true)
}

const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

const isUrl = (type: Json | undefined): boolean => type === 'url'

/** A `data:` URL is data: clients show both, and only one of them has a type. */
function located(value: string, mimeType: string | undefined, isAddress: boolean): PartSource {
  const [head, mime] = isAddress ? (/^data:([^;,]+);base64,/.exec(value) ?? []) : []
  if (head !== undefined && mime !== undefined)
    return { type: 'data', value: value.slice(head.length), mimeType: mime }
  if (isAddress) return { type: 'url', value, ...(mimeType !== undefined && { mimeType }) }
  return { type: 'data', value, mimeType: mimeType ?? 'application/octet-stream' }
}

type Medium = Exclude<ContentPart['type'], 'text'>

function mediumOf(type: string, mimeType: string | undefined): Medium {
  for (const medium of ['image', 'audio', 'video'] as const)
    if (type.includes(medium) || (mimeType?.startsWith(`${medium}/`) ?? false)) return medium
  return 'document'
}

const metadataOf = ({ metadata }: JsonObject): { readonly metadata?: Json } =>
  metadata === undefined ? {} : { metadata }
