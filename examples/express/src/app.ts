import { createSkein, nodeHandler } from '@skein/server'
import express, { type Express } from 'express'
import { agent } from './agent.ts'

export const skein = await createSkein({
  agents: { hello: agent },
  store: process.env['SKEIN_STORE'] ?? '.skein',
})

export const app: Express = express()
app.get('/', (_request, response) => void response.send('Your app. The agents are under /skein.'))
// Express takes "/skein" off the path, so that Skein needs no basePath. Mount it before any body parser.
app.use('/skein', nodeHandler(skein))
