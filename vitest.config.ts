import { defineConfig } from 'vitest/config'
import { ProgramsFirst } from './scripts/programs-first.ts'

export default defineConfig({
  resolve: {
    alias: { 'markdown-to-jsx/entities': new URL('packages/react/src/text/entities.ts', import.meta.url).pathname },
  },
  test: {
    include: ['packages/*/src/**/*.test.{ts,tsx}', 'apps/*/src/**/*.test.{ts,tsx}', 'scripts/*.test.mjs'],
    globalSetup: ['scripts/vitest-setup.mjs'],
    setupFiles: ['scripts/property-seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // So that the alias holds for what it imports.
    server: { deps: { inline: ['markdown-to-jsx'] } },
    pool: 'forks',
    // Files share a process: starting one and loading the gateway for each file took a tenth of the time. A file that replaces
    // something global puts it back.
    isolate: false,
    sequence: { sequencer: ProgramsFirst },
    // Agents, browsers and the tests wait for each other a fifth of the time: one more than two cores took 883 s, two 1,027 s.
    maxWorkers: 3,
    maxConcurrency: 4,
  },
})
