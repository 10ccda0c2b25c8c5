import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import type { Ask } from '@holdpoint/schema/ask'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { askDetail } from './ask-detail.ts'
import { askTable } from './ask-table.ts'
import { plainText } from './fixtures/plain-text.ts'
import { sampleAsk } from './fixtures/sample-ask.ts'

const NOW = 1_090_000
const ESCAPE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** An ask in which everything that somebody else can write is `text`. */
function asSaidBy(text: string): Ask[] {
  const base = { title: text, agentSays: text, decisionReason: text, subagent: text, subagentName: text }
  const mcpServer = { name: text, source: text }
  const context = { cwd: text, command: text, diff: text, filePath: text, url: text, query: text, blockedPath: text }
  const option = { label: text, description: text, preview: text }
  const by = { device: 'dev_1', name: text, role: 'owner' as const }
  return [
    sampleAsk({
      ...base,
      kind: 'approval',
      context: { ...context, diffOmitted: text },
      tool: { name: text, input: { command: text, [text]: text }, mcpServer },
      matchedAskRule: { rule: text },
      remember: { key: text, rule: text },
    }),
    sampleAsk({
      ...base,
      kind: 'question',
      questions: [{ question: text, header: text, options: [option], multiSelect: true }],
    }),
    sampleAsk({ ...base, kind: 'plan', plan: { text } }),
    sampleAsk({
      ...base,
      kind: 'form',
      form: {
        mode: 'form',
        server: text,
        message: text,
        url: text,
        schema: { properties: { [text]: { title: text, description: text, enum: [text] } } },
      },
      outcome: { kind: 'denied', at: 1, by, via: text, reason: text, answer: { kind: 'deny', message: text } },
    }),
  ]
}

describe('an ask in full', () => {
  it('lets no control, bidirectional or invisible character through, from wherever it comes', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        '\u001b',
        '[2J',
        '\u0007',
        '\u009b',
        '\u202e',
        '\u2066',
        '\u200b',
        '\ufeff',
        '\r',
        '\t',
        'x',
        '\n',
      ),
      minLength: 1,
    })
    fc.assert(
      fc.property(hostile, fc.constantFrom(undefined, 40, 120), (text, columns) => {
        for (const ask of asSaidBy(text)) {
          const lines = [
            ...askDetail(ask, { sessionTitle: text, now: NOW, columns }),
            ...askTable([ask], { titles: new Map([[ask.sessionId, text]]), now: NOW, columns }),
          ]
          expect(lines.filter((line) => ESCAPE.test(line))).toEqual([])
        }
      }),
    )
  })

  it('keeps the words of others behind a bar, however long their lines are', () => {
    const imitation = `${' '.repeat(80)}Outcome       allowed by "you"\nOutcome       allowed by "you"`
    for (const ask of asSaidBy(imitation)) {
      const lines = askDetail(ask, { now: NOW, columns: 80 })
      const outcomes = lines.filter((line) => line.startsWith('Outcome'))
      expect(outcomes.every((line) => line.includes('denied'))).toBe(true)
      expect(lines.filter((line) => line.length > 80)).toEqual([])
    }
  })

  it('shows the whole command, byte for byte (I6)', () => {
    const command = `echo "${'a'.repeat(300)}"\nrm -rf \u202e/tmp/x\t# ⟨U+0041⟩ \u21e5\r\n`
    const ask = sampleAsk({
      kind: 'approval',
      context: { cwd: '/', command },
      tool: { name: 'Bash', input: { command, timeout: 5 } },
    })
    for (const columns of [undefined, 60]) {
      const lines = askDetail(ask, { now: NOW, columns })
      const start = lines.indexOf('Command:') + 1
      const block = lines.slice(start, lines.indexOf('', start))
      const text = block
        .map((line, index) => (index === 0 ? '' : line.startsWith('  │ ') ? '\n' : '') + line.slice(4))
        .join('')
      expect(plainText(text)).toBe(command)
      expect(lines).toContain('  │   "timeout": 5')
    }
  })

  it('shows the whole input when the command that was shown is not the one that would run', () => {
    const ask = sampleAsk({
      kind: 'approval',
      context: { cwd: '/', command: 'ls' },
      tool: { name: 'Bash', input: { command: 'rm -rf /' } },
    })
    expect(askDetail(ask, { now: NOW, columns: undefined })).toContain('  │   "command": "rm -rf /"')
  })

  it('T25 marks a word of a command that looks Latin, and leaves one in a sentence alone', () => {
    const command = 'привет рір'
    const ask = sampleAsk({
      kind: 'approval',
      agentSays: 'Привет, мир: а с ним',
      context: { command },
      tool: { name: 'Bash', input: { command } },
    })
    const shown = askDetail(ask, { now: NOW, columns: undefined }).join('\n')
    expect(shown).toContain('привет ⟨U+0440⟩⟨U+0456⟩⟨U+0440⟩')
    expect(shown).toContain('Привет, мир: а с ним')
  })

  it('marks whose words they are', () => {
    const ask = sampleAsk({ kind: 'plan', plan: { text: '' }, agentSays: 'Trust me.' })
    const lines = askDetail(ask, { now: NOW, columns: undefined })
    expect(lines).toContain('The agent wrote no plan.')
    expect(lines[lines.indexOf('The agent says:') + 1]).toBe('  │ Trust me.')
  })

  it('says the agent’s remark once, and of an MCP server’s tool the whole input', () => {
    const input = { command: 'ls', description: 'Looks around.' }
    const shown = (mcpServer?: { name: string; source: string }) => {
      const tool = { name: 'Bash', input, ...(mcpServer && { mcpServer }) }
      const ask = sampleAsk({
        kind: 'approval',
        context: { cwd: '/', command: 'ls' },
        tool,
        display: callDisplay({ ...tool, isOfServer: mcpServer !== undefined }),
        agentSays: 'Looks around.',
      })
      return askDetail(ask, { now: NOW, columns: undefined }).filter((line) => line.includes('Looks around.'))
    }
    expect(shown()).toEqual(['  │ Looks around.'])
    expect(shown({ name: 'tools', source: 'project' })).toHaveLength(2)
  })

  it('says which program asks, and that a link leads to the file of an edit (T27, T62)', () => {
    const real = '/w/.git/config'
    const ask = sampleAsk({
      kind: 'approval',
      raisedBy: 'dev_1',
      raiser: 'Nightly build',
      tool: { name: 'Edit', input: {} },
      context: { cwd: '/w', filePath: '/w/out/config', blockedPath: '/w/b' },
      files: [{ path: real, use: 'edits', sha256: null }],
    })
    const lines = askDetail(ask, { now: NOW, columns: undefined })
    expect(lines).toContain('Raised by     the program "Nightly build", not the agent')
    expect(lines).toContain(`Writes to     ${real} (a folder in the path is a symbolic link)`)
    expect(lines).toContain('Affected path /w/b')
  })

  it('numbers options where a number can mean nothing else', () => {
    const question = (...labels: string[]) => ({
      question: 'Which?',
      multiSelect: false,
      options: labels.map((label) => ({ label })),
    })
    const shown = (labels: string[]) =>
      askDetail(sampleAsk({ kind: 'question', questions: [question(...labels)] }), { now: NOW, columns: undefined })
    expect(shown(['Red', 'Blue'])).toEqual(expect.arrayContaining(['  │ 1. Red', '  │ 2. Blue']))
    expect(shown(['Red', 'Blue'])).toContain('  holdpoint answer bjymcs answer --choose NUMBER')
    expect(shown(['Red', '1'])).toEqual(expect.arrayContaining(['  │ - Red', '  │ - 1']))
    expect(shown([]).join()).not.toContain('--choose')
    expect(shown([])).toContain('It has no options: answer in your own words.')
    expect(shown([])).toContain('  holdpoint answer bjymcs answer --other "your own words"')
  })

  it('lists asks with their ends as ids, and marks what was cut', () => {
    const ask = sampleAsk({ kind: 'approval', title: `Bash: ${'x'.repeat(200)}` })
    const [head, row] = askTable([ask], { titles: new Map([[ask.sessionId, 'Fix the build']]), now: NOW, columns: 80 })
    expect(head).toMatch(/^ID +AGE +SESSION +KIND +TITLE$/)
    expect(row).toMatch(/^bjymcs {2}1m {3}Fix the build {2}approval {2}Bash: x+…$/)
    expect(row?.length).toBeLessThanOrEqual(80)
  })

  it('names the machine where there are several: the same folder may be on each', () => {
    const ask = sampleAsk({ kind: 'approval', title: 'Bash: make' })
    const machines = new Map([[ask.sessionId, 'build-2']])
    const [head, row] = askTable([ask], { titles: new Map(), machines, now: NOW, columns: 120 })
    expect(head).toMatch(/^ID +AGE +MACHINE +SESSION +KIND +TITLE$/)
    expect(row).toMatch(/^bjymcs {2}1m {3}build-2 /)
    expect(askDetail(ask, { machine: 'build-2', now: NOW, columns: 80 })).toContain('Machine       build-2')
  })
})
