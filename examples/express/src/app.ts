import { createClewline, nodeHandler } from '@clewline/server'
import express, { type Express } from 'express'
import { agent } from './agent.ts'

export const clewline = await createClewline({
  agents: { hello: agent },
  store: process.env['CLEWLINE_STORE'] ?? '.clewline',
})

export const app: Express = express()
app.get('/', (_request, response) => void response.send('Your app. The agents are under /clewline.'))
// Express takes "/clewline" off the path, so that Clewline needs no basePath. Mount it before any body parser.
app.use('/clewline', nodeHandler(clewline))
