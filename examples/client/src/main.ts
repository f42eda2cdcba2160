import { ask } from './ask.ts'

const url = process.env['CLEWLINE_URL'] ?? 'http://127.0.0.1:8123'
const [agent = 'research', question = 'Is tea older than coffee?'] = process.argv.slice(2)

for await (const text of ask(url, agent, question)) process.stdout.write(text)
process.stdout.write('\n')
