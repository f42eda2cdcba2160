import type { Json, Message } from '@clewline/core'
import { MessageSchema } from '@ag-ui/core/schemas'
import { expect, test } from 'vitest'
import { aguiMessages } from './agui-messages.ts'
import { aguiParts } from './agui-parts.ts'
import { dialectOf } from './dialect.ts'

const png = { type: 'data', value: 'AAAA', mimeType: 'image/png' }

const media: readonly [string, Json, Json][] = [
  [
    'an image by its address',
    { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
    { type: 'image', source: { type: 'url', value: 'https://example.org/a.png' } },
  ],
  [
    'an image as data',
    { type: 'image_url', image_url: 'data:image/png;base64,AAAA' },
    { type: 'image', source: png },
  ],
  [
    "an image of LangChain before 1.0, with the model's own remarks",
    {
      type: 'image',
      source_type: 'base64',
      mime_type: 'image/png',
      data: 'AAAA',
      metadata: { detail: 'low' },
    },
    { type: 'image', source: png, metadata: { detail: 'low' } },
  ],
  [
    'a standard image',
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'image', source: png },
  ],
  [
    'a standard file by its address',
    { type: 'file', mimeType: 'application/pdf', url: 'https://example.org/a.pdf' },
    {
      type: 'document',
      source: { type: 'url', value: 'https://example.org/a.pdf', mimeType: 'application/pdf' },
    },
  ],
  [
    "Anthropic's document",
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
    { type: 'document', source: { ...png, mimeType: 'application/pdf' } },
  ],
  [
    "OpenAI's audio",
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
    { type: 'audio', source: { ...png, mimeType: 'audio/mp3' } },
  ],
  [
    "OpenAI's file",
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    { type: 'document', source: { ...png, mimeType: 'application/pdf' } },
  ],
  ["AG-UI's own part", { type: 'video', source: { ...png, mimeType: 'video/mp4' } }, null],
]

test.each(media)('%s becomes a part', (_, block, part) => {
  expect(aguiParts(['see ', { type: 'text', text: 'this' }, block])).toEqual([
    { type: 'text', text: 'see ' },
    { type: 'text', text: 'this' },
    part ?? block,
  ])
})

test.each<[string, Json]>([
  ['a text with citations', { type: 'text', text: 'a', annotations: [{ type: 'citation' }] }],
  ["a file that only the provider has, and a provider's own block", { type: 'server_tool_use', id: 'x' }],
])('%s is text', (_, block) => {
  expect(aguiParts([block])).toBeNull()
})

const conversation: readonly Message[] = [
  { id: 'u', role: 'user', text: 'see', content: ['see', media[0]![1]] },
  { id: 'a', role: 'assistant', text: '', tool_calls: [{ id: 'c', name: 'look', args: {} }] },
  { id: 't', role: 'tool', text: '', tool_call_id: 'c', content: [media[3]![1]] },
]

test.each([
  ['1.0', true, true],
  ['0.0.59', true, false],
  ['0.0.37', false, false],
])('a client of AG-UI %s gets the parts that it reads', (version, inUser, inTool) => {
  const messages = aguiMessages(conversation, dialectOf(version))
  for (const message of messages) expect(MessageSchema.safeParse(message).success).toBe(true)
  const [user, , tool] = messages.map((message) => Array.isArray(message.content))
  expect([user, tool]).toEqual([inUser, inTool])
})
