import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin } from 'vite'

const ENTITIES = fileURLToPath(new URL('../../packages/react/src/text/entities.ts', import.meta.url))

/** The service worker: one script without imports, at the address by which browsers know it. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    async generateBundle() {
      const made = await build({
        configFile: false,
        root: import.meta.dirname,
        logLevel: 'warn',
        build: {
          write: false,
          copyPublicDir: false,
          reportCompressedSize: false,
          lib: { entry: 'src/worker/main.ts', formats: ['iife'], name: 'worker' },
        },
      })
      const [bundle] = Array.isArray(made) ? made : []
      const [script] = bundle?.output ?? []
      if (script?.type !== 'chunk' || bundle?.output.length !== 1) this.error('The service worker is not one script.')
      this.emitFile({ type: 'asset', fileName: 'worker.js', source: script.code })
    },
  }
}

/**
 * `vite build` makes the app; `vite build --mode gallery` makes the page of all cards and states that tests look at,
 * as a build of its own, so that none of it is shipped.
 */
/** Sources, but for those of threads, and icons. */
const SHARED = /^(?!.*\/web\/src\/thread\/).*(\/src\/|lucide-react)/

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), ...(mode === 'gallery' ? [] : [serviceWorker()])],
  resolve: { alias: { 'markdown-to-jsx/entities': ENTITIES } },
  // The gateway serves these files in a folder whose name changes with each start: they find each other by where they are.
  experimental: { renderBuiltUrl: (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true }) },
  build: {
    rolldownOptions: {
      input: mode === 'gallery' ? 'gallery.html' : 'index.html',
      // What several pages share is one file: as forty, of which most held a few lines, each page took longer to load.
      // Threads are on two of the pages, and not on the first.
      output: { codeSplitting: { groups: [{ name: 'shared', test: SHARED, minShareCount: 2 }] } },
    },
    manifest: true,
    license: true,
    // The content security policy takes scripts, styles and fonts from files alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
  },
}))
