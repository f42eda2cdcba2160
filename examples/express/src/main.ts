import { app, skein } from './app.ts'

const server = app.listen(3000, '127.0.0.1', () => console.log('http://127.0.0.1:3000/skein/'))
process.once('SIGTERM', () => {
  server.close()
  void skein.close().then(() => process.exit(0))
})
