import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { askForAll, launch, type SeenAsk, startRealClaude } from '@holdpoint/testing/real-claude'
import { describe, expect, test } from 'vitest'
import { tour } from './tour.ts'
import { edited, goodbye, helperTasks, plan, questions, welcome } from './tour-words.ts'

const answers = {
  [questions.list[0]?.question ?? '']: 'Framed',
  [questions.list[1]?.question ?? '']: 'English, German',
}

function allow({ name, input }: SeenAsk) {
  const updatedInput = name === 'AskUserQuestion' ? { ...input, answers } : input
  return { behavior: 'allow' as const, updatedInput }
}

function shape({ name, context }: SeenAsk): string {
  return context.agentID ? `${name} of a helper` : name
}

describe.concurrent('the tour, played by the real Claude Code', () => {
  test('raises every kind of ask in order, makes its files and ends with a goodbye', async () => {
    await using claude = await startRealClaude({ script: tour({ wordDelayMs: 0 }), answer: allow, options: launch })
    const result = await claude.result()
    expect(result).toMatchObject({ subtype: 'success', is_error: false, result: expect.stringContaining(goodbye.end) })
    expect(claude.asks.map(shape)).toEqual([
      'Bash',
      'Write',
      'Edit',
      'AskUserQuestion',
      'ExitPlanMode',
      'Bash of a helper',
      'Bash of a helper',
    ])
    expect(claude.asks.find((ask) => ask.name === 'ExitPlanMode')?.input.plan).toBe(plan.content)
    expect(await claude.files()).toEqual(['first-helper.txt', 'greet.js', 'second-helper.txt', 'started.txt'])
    expect(await readFile(join(claude.cwd, 'greet.js'), 'utf8')).toBe(`${edited.newText}\n}\n`)
    const heard = claude.toolResults().find((made) => made.text.includes('English, German'))
    expect(heard).toMatchObject({ isError: false })
  })

  test('has both helpers waiting at the same time', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await using claude = await startRealClaude({
      script: tour({ wordDelayMs: 0 }),
      answer: async (ask) => {
        if (ask.context.agentID) await released
        return allow(ask)
      },
      options: launch,
    })
    const waiting = () => claude.asks.filter((ask) => ask.context.agentID)
    await claude.until(() => (waiting().length === 2 ? true : undefined), 'two open asks')
    expect(new Set(waiting().map((ask) => ask.context.agentID)).size).toBe(2)
    release()
    expect((await claude.result()).subtype).toBe('success')
  })

  test('takes a no everywhere, touches nothing and still ends politely', async () => {
    await using claude = await startRealClaude({
      script: tour({ wordDelayMs: 0 }),
      answer: () => ({ behavior: 'deny', message: 'Rather not.' }),
      options: launch,
    })
    expect(await claude.result()).toMatchObject({ subtype: 'success', result: expect.stringContaining(goodbye.end) })
    expect(claude.asks.map(shape)).toEqual(['Bash', 'Write', 'AskUserQuestion', 'ExitPlanMode', 'ExitPlanMode'])
    expect(claude.asks.at(-1)?.input.plan).toContain('> Rather not.')
    expect(await claude.files()).toEqual([])
    expect(JSON.stringify(claude.messages)).toContain('What reached me was: “Rather not.”')
  })

  test('goes on after an edit, a no and a skip, and says what became of each', async () => {
    const own = 'export const mine = true\n'
    let writes = 0
    await using claude = await startRealClaude({
      script: tour({ wordDelayMs: 0 }),
      answer(ask) {
        const { name, input } = ask
        if (name === 'Bash' && !ask.context.agentID) {
          return { behavior: 'allow', updatedInput: { ...input, command: 'echo mine > mine.txt' } }
        }
        if (name === 'Write' && writes++ > 0) return { behavior: 'deny', message: 'Rather not.' }
        if (name === 'Write') return { behavior: 'allow', updatedInput: { ...input, content: own } }
        if (name === 'AskUserQuestion') return { behavior: 'deny', message: 'The user chose not to answer this.' }
        return allow(ask)
      },
      options: launch,
    })
    expect(await claude.result()).toMatchObject({ subtype: 'success', result: expect.stringContaining(goodbye.end) })
    expect(claude.asks.map(shape)).toEqual([
      'Bash',
      'Write',
      'Write',
      'AskUserQuestion',
      'ExitPlanMode',
      'Bash of a helper',
      'Bash of a helper',
    ])
    const said = JSON.stringify(claude.messages)
    for (const words of [welcome.allowed, edited.again, 'Rather not.', questions.skipped, helperTasks.finished]) {
      expect(said).toContain(JSON.stringify(words).slice(1, -1))
    }
    expect(said).not.toContain('tool_use_error>String to replace not found in file.”')
    expect(await readFile(join(claude.cwd, 'greet.js'), 'utf8')).toBe(own)
    expect(await claude.files()).toContain('mine.txt')
  })

  test('works with a gate that asks for every call', async () => {
    await using claude = await startRealClaude({
      script: tour({ wordDelayMs: 0 }),
      answer: allow,
      options: { ...launch, hooks: askForAll },
    })
    expect((await claude.result()).subtype).toBe('success')
    expect(claude.asks.map(shape).sort()).toEqual([
      'Agent',
      'Agent',
      'AskUserQuestion',
      'Bash',
      'Bash of a helper',
      'Bash of a helper',
      'Edit',
      'EnterPlanMode',
      'ExitPlanMode',
      'Write',
      'Write',
    ])
  })

  test('goes on without a plan whose file may not be written, and says why it asks', async () => {
    await using claude = await startRealClaude({
      script: tour({ wordDelayMs: 0 }),
      answer: (ask) =>
        ask.name === 'Write' && String(ask.input.file_path).includes('/plans/')
          ? { behavior: 'deny', message: 'Rather not.' }
          : allow(ask),
      options: { ...launch, hooks: askForAll },
    })
    const result = await claude.result()
    expect(result).toMatchObject({ subtype: 'success', result: expect.stringContaining(goodbye.end) })
    expect(result).toMatchObject({ result: expect.stringContaining(plan.unwritten) })
    expect(claude.asks.map(shape).sort()).toEqual([
      'AskUserQuestion',
      'Bash',
      'Edit',
      'EnterPlanMode',
      'Write',
      'Write',
    ])
    expect(JSON.stringify(claude.messages)).toContain(plan.writing)
  })

  test('answers what comes after, and starts over when told "again"', async () => {
    await using claude = await startRealClaude({ script: tour({ wordDelayMs: 0 }), answer: allow, options: launch })
    await claude.result()
    const asked = claude.asks.length
    claude.send('What else can you do?')
    expect(await claude.result(2)).toMatchObject({ result: goodbye.afterwards })
    expect(claude.asks.length).toBe(asked)
    claude.send('Show it again, please.')
    expect(await claude.result(3)).toMatchObject({ result: expect.stringContaining(goodbye.end) })
    expect(claude.asks.length).toBe(2 * asked)
  })
})
