import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The page is built beside the compiled service, which serves it from there. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // Nothing is put into the page as a data: address, so that the policy of the page need not allow it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
  },
  // `npm run dev:web` shows the page while it is written; the service runs beside it.
  server: { host: '127.0.0.1', port: 4748, proxy: { '/api/v1': 'http://127.0.0.1:4747' } },
});
