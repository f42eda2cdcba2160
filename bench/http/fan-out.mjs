// Many readers of one thread, in a process of their own: argv is URL, number of readers, envelopes to wait for (0: just connect).
import { request } from 'node:http'

const [, , url, readers, expected] = process.argv
let connected = 0
let done = 0
let received = 0

const open = () =>
  new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (response) => {
      connected += 1
      resolve()
      let seen = 0
      response.on('data', (chunk) => {
        // Counting the frames is all that a reader does here: the server is what is measured.
        for (let at = chunk.indexOf('\nid: '); at !== -1; at = chunk.indexOf('\nid: ', at + 5)) seen += 1
        if (chunk.length > 4 && chunk.toString('latin1', 0, 4) === 'id: ') seen += 1
        if (Number(expected) > 0 && seen >= Number(expected)) {
          received += seen
          seen = -Infinity
          done += 1
          if (done === Number(readers)) process.send({ received })
        }
      })
    })
    asked.on('error', reject)
    asked.end()
  })

for (let i = 0; i < Number(readers); i += 50) await Promise.all(Array.from({ length: 50 }, open))
process.send({ connected })
