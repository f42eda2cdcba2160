import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = process.env['CLEWLINE_URL'] ?? 'http://127.0.0.1:8123'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['source', 'module', 'browser', 'import', 'default'] },
  server: { proxy: { '/api': server, '/info': server } },
})
