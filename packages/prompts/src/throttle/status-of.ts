import { isRecord } from '@clewline/core'

/** The HTTP status of an error, wherever the client keeps it: OpenAI, Ollama, axios, gaxios (also as `code`), AWS. */
export function statusOf(error: Readonly<Record<string, unknown>>): number | undefined {
  const { response, $metadata: metadata } = error
  return [
    error['status'],
    error['statusCode'],
    error['status_code'],
    isRecord(response) ? response['status'] : undefined,
    isRecord(metadata) ? metadata['httpStatusCode'] : undefined,
    error['code'],
  ]
    .map((each) => (typeof each === 'string' && /^\d{3}$/.test(each) ? Number(each) : each))
    .find((each): each is number => typeof each === 'number' && each >= 400 && each < 600)
}
