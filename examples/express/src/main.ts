import { app, clewline } from './app.ts'

const server = app.listen(3000, '127.0.0.1', () => console.log('http://127.0.0.1:3000/clewline/'))
process.once('SIGTERM', () => {
  server.close()
  void clewline.close().then(() => process.exit(0))
})
