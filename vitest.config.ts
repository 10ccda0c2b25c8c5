import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.{ts,tsx}', 'apps/*/src/**/*.test.{ts,tsx}', 'scripts/*.test.mjs'],
    globalSetup: ['scripts/vitest-setup.mjs'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // A real agent takes most of a core: more at once only make each other late.
    maxWorkers: 2,
    maxConcurrency: 4,
  },
})
