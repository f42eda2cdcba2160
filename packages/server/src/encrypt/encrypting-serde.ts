import { isRecord } from '@clewline/core'
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint'
import type { Cipher } from './cipher.ts'
import { sealedText } from './sealed-json.ts'

/** The type of what is encrypted, beside `json` and `bytes` in a row. */
const TYPE = 'encrypted'

/**
 * A serializer of states whose output is encrypted; LangGraph has none for JavaScript (1.1.5). It reads what is not
 * encrypted, too: rows from before there was a key. What it gives is JSON (`{"$encrypted":"…"}`), since `PostgresSaver` 1.0.5
 * parses the metadata of a checkpoint as JSON, and to read them dumps and loads what it has parsed.
 */
export function encryptingSerde(inner: SerializerProtocol, cipher: Cipher): SerializerProtocol {
  async function open(text: string): Promise<unknown> {
    const { label, plain } = cipher.decrypt(text)
    return await inner.loadsTyped(label, plain)
  }

  /** What was dumped twice is loaded twice if it is metadata. All else that looks encrypted came from a client, and is data. */
  async function metadataOr(value: unknown): Promise<unknown> {
    const text = sealedText(value)
    if (text === null) return value
    const opened = await open(text).catch(() => null)
    return isRecord(opened) && 'source' in opened && 'step' in opened ? opened : value
  }

  return {
    async dumpsTyped(value) {
      const [type, bytes] = await inner.dumpsTyped(value)
      if (!cipher.canEncrypt) return [type, bytes]
      return [TYPE, Buffer.from(JSON.stringify({ $encrypted: cipher.encrypt(type, bytes) }))]
    },
    async loadsTyped(type, data): Promise<unknown> {
      if (type !== TYPE) return await metadataOr(await inner.loadsTyped(type, data))
      const sealed: unknown = JSON.parse(typeof data === 'string' ? data : Buffer.from(data).toString())
      return await metadataOr(await open(sealedText(sealed) ?? ''))
    },
  }
}
