import { createInterface } from 'node:readline/promises'
import { ClewlineError } from '@clewline/core'
import { approval } from './approval.ts'
import { calculator } from './calculator.ts'
import { extraction } from './extraction.ts'

const [example = '', model = '', ...words] = process.argv.slice(2)
const text = words.join(' ')

const examples: Readonly<Record<string, () => Promise<unknown>>> = {
  calculator: async () => {
    await calculator(model, text || '17 + 25', (piece) => process.stdout.write(piece))
    console.log()
  },
  extraction: async () => {
    console.table(await extraction(model, text || 'Ada Lovelace, born in 1815, wrote to Charles Babbage.'))
  },
  approval: async () => {
    const { answer, sent } = await approval(model, text || 'Write to ada@example.com: lunch?', askUser)
    console.log(answer, sent)
  },
}

async function askUser(question: unknown): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`${JSON.stringify(question)}\nAllow this? [y/N] `)
  terminal.close()
  return answer.trim().toLowerCase().startsWith('y')
}

const run = examples[example]
if (run === undefined || model === '') {
  console.error(`Usage: npm start -- ${Object.keys(examples).join('|')} PROVIDER:MODEL [text]`)
  console.error('For example: npm start -- calculator ollama:llama3.2 "3 + 4"')
  process.exitCode = 2
} else await run().catch(tell)

/** The causes of a failure are for logs; what to do about it is for whoever sits here. */
function tell(error: unknown): void {
  const hint = error instanceof ClewlineError ? ` ${error.hint}` : ''
  console.error(`${error instanceof Error ? error.message : String(error)}${hint}`)
  process.exitCode = 1
}
