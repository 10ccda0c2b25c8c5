/** Names that scripts of a project have when they test, check or build it. */
const SCRIPT = /^(test|tests|unit|lint|check|build|compile|typecheck|type-check|types|format|fmt)([:.-][\w:.-]+)?$/
const PACKAGE_MANAGERS = new Set(['npm', 'pnpm', 'yarn', 'bun'])

/** Programs that build, test or format a project, and those of their subcommands that publish nothing and install nothing. */
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  cargo: ['test', 'build', 'check', 'clippy', 'fmt', 'bench', 'doc'],
  go: ['test', 'build', 'vet', 'fmt'],
  git: ['add', 'commit'],
  make: ['test', 'check', 'lint', 'build', 'all', 'format', 'fmt'],
  dotnet: ['build', 'test', 'format'],
  mvn: ['test', 'compile', 'verify'],
  gradle: ['test', 'build', 'check'],
}
const PROGRAMS = new Set(
  'tsc eslint prettier biome vitest jest mocha pytest ruff mypy black rustfmt gofmt phpunit rspec mkdir touch'.split(
    ' ',
  ),
)

/**
 * Whether a command is known to change nothing outside of the project it runs in. A short list on purpose: it decides what
 * is suggested, and a rule that nobody thought of is worse than an ask too many.
 */
export function worksInProject([name = '', second = '', third = '']: readonly string[]): boolean {
  if (PROGRAMS.has(name)) return true
  if (PACKAGE_MANAGERS.has(name)) return second === 'run' ? SCRIPT.test(third) : SCRIPT.test(second)
  return Object.hasOwn(SUBCOMMANDS, name) && (SUBCOMMANDS[name]?.includes(second) ?? false)
}
