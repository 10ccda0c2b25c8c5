import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { steps } from '@holdpoint/demo-model/scenarios'
import { type ToolUseBlock, use } from '@holdpoint/demo-model/script'
import { LONG, TIMEOUT_MS, report as tell } from '@holdpoint/testing/long'
import { launch, type RealClaude, startRealClaude } from '@holdpoint/testing/real-claude'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesHash } from '../../files/file-hash.ts'
import { type FileChange, fileChange } from '../asks/file-change.ts'
import { whyNotAsShown } from '../asks/shown-effect.ts'
import { CASES, type EditCase, type Fate, fileOf } from './edit-cases.ts'
import { canary } from './facts.ts'
import { randomEdits } from './random-edits.ts'

canary()

const IN_A_TURN = 10
const SEED = LONG ? Date.now() % 2 ** 31 : 1
const AT_RANDOM = randomEdits(LONG ? 500 : 40, SEED)
const ALL = [...CASES, ...AT_RANDOM]

/** Each call was allowed as it was asked, after the file was changed where the case says so. */
interface Measured {
  readonly before: Buffer | undefined
  readonly after: Buffer | undefined
  readonly refused: boolean
  /** What we would have shown, from the input that was asked about, or as given where nothing was asked. */
  readonly change: FileChange | undefined
  readonly asked: boolean
  readonly report?: unknown
  readonly input?: Record<string, unknown>
}

describe("T63 Claude Code's own rules for edits", () => {
  let claude: RealClaude
  const measured = new Map<string, Measured>()

  beforeAll(
    async () => {
      const changes = new Map<string, { change: FileChange | undefined; input: Record<string, unknown> }>()
      const reports = new Map<string, unknown>()
      let calls: ToolUseBlock[][] = []
      const byPath = (input: Record<string, unknown>) => String(input.file_path ?? input.notebook_path)
      claude = await startRealClaude({
        script: (call) => steps(calls)(call),
        prompt: null,
        prepare: async ({ cwd }) => {
          for (const given of ALL) await prepare(cwd, given)
          const all = ALL.flatMap((given) => callsOf(cwd, given))
          // Several in one turn: they run one after another all the same.
          calls = Array.from({ length: Math.ceil(all.length / IN_A_TURN) }, (_, turn) =>
            all.slice(turn * IN_A_TURN, (turn + 1) * IN_A_TURN),
          )
        },
        answer: async ({ name, input }) => {
          const path = byPath(input)
          changes.set(path, { change: await fileChange(name, input, claude.cwd), input })
          const given = ALL.find((candidate) => join(claude.cwd, fileOf(candidate)) === path)
          if (given?.meanwhile !== undefined) await writeFile(path, given.meanwhile)
          return { behavior: 'allow', updatedInput: input }
        },
        options: {
          ...launch,
          hooks: {
            PostToolUse: [
              {
                hooks: [
                  async (input) => {
                    if (input.hook_event_name === 'PostToolUse')
                      reports.set(byPath(input.tool_input as Record<string, unknown>), input.tool_response)
                    return {}
                  },
                ],
              },
            ],
          },
        },
      })
      claude.send('go')
      // One after another: the rig's patience is for one thing at a time.
      for (const [nth, call] of calls.flat().entries()) {
        await claude.until(() => claude.toolResults()[nth], `the result of ${JSON.stringify(call)}`)
      }
      const results = claude.toolResults()
      let place = 0
      for (const given of ALL) {
        place += callsOf(claude.cwd, given).length
        const path = join(claude.cwd, fileOf(given))
        const seen = changes.get(path)
        const target = given.link === undefined ? path : join(claude.cwd, given.link)
        measured.set(fileOf(given), {
          before: bytesOf(given),
          after: existsSync(target) ? await readFile(target) : undefined,
          refused: results[place - 1]?.isError === true,
          change: seen?.change,
          asked: seen !== undefined,
          report: reports.get(path),
          ...(seen && { input: seen.input }),
        })
      }
    },
    LONG ? TIMEOUT_MS : 120_000,
  )

  afterAll(() => claude?.[Symbol.asyncDispose]())

  test.each(CASES.map((given) => [`${given.tool}: ${given.name}`, given] as const))('%s', async (_, given) => {
    const found = measured.get(fileOf(given))
    if (!found) throw new Error('it was not measured')
    const { before, after, refused, change, asked, report, input } = found
    const fate: Fate = refused ? (asked ? 'refused after the ask' : 'refused unasked') : 'ran'
    expect(fate).toBe(given.fate ?? 'ran')
    if (refused) expect(after).toEqual(given.meanwhile === undefined ? before : Buffer.from(given.meanwhile))
    if (fate !== 'ran') return
    expect(change?.file?.sha256).toBe(before ? bytesHash(before) : null)
    const shown = change?.file?.after
    const context = change?.diff === undefined ? {} : { diff: change.diff }
    const ask = { files: change?.file ? [change.file] : [], context } as unknown as Parameters<typeof whyNotAsShown>[0]
    const ran = { toolUseId: 'x', name: given.tool, input, response: report }
    if (given.meanwhile !== undefined) {
      // It ran on another text than was shown: that is what the alarm is for.
      expect(shown).not.toBe(after && bytesHash(after))
      expect(await whyNotAsShown(ask, ran)).toMatch(/was not as it was shown/)
      return
    }
    if (given.unknown) {
      expect(change).toMatchObject({
        diffOmitted: expect.any(String),
        unknown: 'What this edit will write is not known.',
      })
      expect(shown).toBeUndefined()
    } else {
      expect(change).toMatchObject({ diff: expect.any(String) })
      // What a notebook holds is compared by its report: how the file is laid out, and a new cell's id, are not foretold.
      if (given.tool !== 'NotebookEdit') expect(shown).toBe(after && bytesHash(after))
    }
    if (given.alarm) {
      expect(await whyNotAsShown(ask, ran)).toMatch(/in another way than can be explained/)
      return
    }
    expect(await whyNotAsShown(ask, ran)).toBeUndefined()
    // Somebody else changes the file right afterwards: the report tells that the call did what was shown.
    const path = String(input?.file_path ?? input?.notebook_path)
    await writeFile(path, 'changed by a formatter')
    expect(await whyNotAsShown(ask, ran)).toBeUndefined()
  })

  test('edits at random: what ran is what was shown', () => {
    let ran = 0
    for (const given of AT_RANDOM) {
      const found = measured.get(fileOf(given))
      if (!found) throw new Error('it was not measured')
      const { before, after, refused, change } = found
      if (refused) expect(after, JSON.stringify(given)).toEqual(before)
      else expect(change?.file?.after, JSON.stringify(given)).toBe(after && bytesHash(after))
      if (!refused) ran += 1
    }
    tell(`T63: ${AT_RANDOM.length} edits at random (seed ${SEED}), ${ran} of them ran`)
    expect(ran).toBeGreaterThan(AT_RANDOM.length / 2)
  })

  test(`pins ${CASES.length} cases`, () => {
    expect(CASES.length).toBeGreaterThanOrEqual(150)
  })
})

function bytesOf({ before }: EditCase): Buffer | undefined {
  return before === undefined ? undefined : Buffer.from(before as string)
}

async function prepare(cwd: string, given: EditCase) {
  const path = join(cwd, given.link ?? fileOf(given))
  const bytes = bytesOf(given)
  if (bytes) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
  if (given.link !== undefined) await symlink(path, join(cwd, fileOf(given)))
}

function callsOf(cwd: string, given: EditCase): ToolUseBlock[] {
  const path = join(cwd, fileOf(given))
  const call = use(given.tool, {
    [given.tool === 'NotebookEdit' ? 'notebook_path' : 'file_path']: path,
    ...given.input,
  })
  const isRead = given.before !== undefined && (given.read ?? given.tool !== 'Edit')
  return isRead ? [use('Read', { file_path: path }), call] : [call]
}
