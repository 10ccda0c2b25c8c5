import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const ENTITIES = fileURLToPath(new URL('../../../react/src/text/entities.ts', import.meta.url))

/** The script of a page that a test shows, from its entry file. */
export async function bundlePage(input: string): Promise<string> {
  const { output } = await build({
    input,
    write: false,
    platform: 'browser',
    logLevel: 'silent',
    resolve: { alias: { 'markdown-to-jsx/entities': ENTITIES } },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    output: { format: 'iife', codeSplitting: false },
  })
  return output[0].code
}
