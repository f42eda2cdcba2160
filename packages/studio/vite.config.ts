import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = process.env['CLEWLINE_URL'] ?? 'http://127.0.0.1:8123'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['source', 'module', 'browser', 'import', 'default'] },
  // Inlined assets would need `data:` in the CSP of fonts and styles.
  build: {
    outDir: 'app-dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
  server: { proxy: { '/api': server, '/info': server } },
})
