import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScratchFolder, type ScratchFolder } from './fixtures/hostile/scratch-folder.ts'
import { READERS } from './fixtures/hostile/technique.ts'
import { HOSTILE } from './fixtures/hostile-techniques.ts'

/** How many commands of each technique run; all of them take minutes. */
const RUNS = LONG ? Number.POSITIVE_INFINITY : 1

/** Absolute paths that a command may name: they lead nowhere, or back into the folder; and patterns that look like paths. */
const HARMLESS_PATH =
  /^\/(dev\/(null|zero|stdin|fd\/3|tcp\/(127\.0\.0\.1|localhost)\/\d+)|dev\/\.\.\/proc\/self\/cwd\/.*|bin\/(sh|bash)|proc\/(self|\$\$)\/(cwd|fd|root|environ).*|(alpha|beta)\/.*)$/

describe('hostile commands', () => {
  it('are many', () => {
    const commands = HOSTILE.flatMap((technique) => technique.commands)
    expect(HOSTILE.length).toBeGreaterThanOrEqual(120)
    expect(new Set(HOSTILE.map(({ technique }) => technique)).size).toBe(HOSTILE.length)
    expect(HOSTILE.filter((each) => new Set(each.commands).size < 10).map(({ technique }) => technique)).toEqual([])
    report(`hostile commands: ${HOSTILE.length} techniques, ${commands.length} commands`)
  })

  it('name no path outside of the folder in which they run', () => {
    const outside = HOSTILE.flatMap(({ commands }) => commands).filter((command) =>
      (command.match(/(?<=^|[\s=<>(;|&]["']?)\/+[a-z][^\s;'`)]*/g) ?? []).some((path) => !HARMLESS_PATH.test(path)),
    )
    expect(outside).toEqual([])
  })
})

// Their harm needs GNU's programs and a bash of this decade.
describe.runIf(process.platform === 'linux')('hostile commands, run by bash', () => {
  let scratch: ScratchFolder
  let ran = 0
  const notShown: string[] = []
  beforeAll(async () => {
    scratch = await openScratchFolder()
  })
  afterAll(() => {
    scratch.close()
    report(
      `hostile commands: ${ran} run by bash and seen to do harm; without the programs: ${notShown.join(', ') || 'none'}`,
    )
  })

  it('are told from harmless ones', { timeout: TIMEOUT_MS }, async () => {
    const harmful: string[] = []
    for (const harm of [undefined, 'writes', 'sends', 'reveals'] as const)
      for (const command of READERS) if (await scratch.harms(command, harm)) harmful.push(command)
    expect(harmful).toEqual([])
  })

  it.each(HOSTILE)('$technique', { timeout: TIMEOUT_MS }, async ({ technique, commands, harm, needs = [] }) => {
    if (!needs.every((program) => scratch.has(program))) return void notShown.push(technique)
    const harmless: string[] = []
    for (const command of commands.slice(0, RUNS))
      if (!(await scratch.harms(command, harm))) harmless.push(command.slice(0, 200))
    expect(harmless).toEqual([])
    ran += Math.min(commands.length, RUNS)
  })
})
