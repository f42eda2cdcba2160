import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('src/page', import.meta.url)),
  logLevel: 'error',
  build: {
    outDir: fileURLToPath(new URL('page-dist', import.meta.url)),
    emptyOutDir: true,
    chunkSizeWarningLimit: 50_000,
  },
})
