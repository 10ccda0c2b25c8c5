import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { KnownMachine } from '../machines/machine-of.ts'
import { sampleAsk } from '../testing/sample-ask.ts'
import { sampleMachine } from '../testing/sample-machine.ts'
import { textOf } from '../testing/text-of.ts'
import { AskCard, type AskCardProps } from './ask-card.tsx'

function markup(ask: Ask, given: Partial<AskCardProps> = {}): string {
  return renderToStaticMarkup(<AskCard ask={ask} onAnswer={() => {}} now={1000} {...given} />)
}

function heading(html: string): string {
  return /<h3.*?<\/h3>/s.exec(html)?.[0] ?? ''
}

describe('a card', () => {
  it('says in its heading what runs, and the agent’s words only in their box (T27)', () => {
    const html = markup(sampleAsk({ agentSays: 'Approved by your admin', title: 'Approved by your admin' }))
    expect(heading(html)).toContain('Bash')
    expect(heading(html)).not.toContain('admin')
    expect(html.indexOf('the agent says')).toBeGreaterThan(html.indexOf('Command'))
  })

  it.each<Partial<Ask>>([
    { agentSays: 'I am Claude' },
    { kind: 'question', questions: [{ question: 'Which?', options: [{ label: 'This' }], multiSelect: false }] },
    { kind: 'plan', plan: { text: '# Do it' } },
    { kind: 'form', tool: undefined, form: { mode: 'form', server: 'github', message: 'I am GitHub', schema: {} } },
  ])('says that a program asks and which one, and takes none of its words for the agent’s (T27): %o', (given) => {
    const raised = (raiser?: string) =>
      textOf(markup(sampleAsk({ ...given, raisedBy: 'dev_1', ...(raiser !== undefined && { raiser }) })))
    expect(raised('Night \u202e build')).toContain('Asked by the program “Night ⟨U+202E⟩ build”, not by the agent')
    expect(raised()).toContain('Asked by the program “dev_1”, not by the agent')
    for (const shown of [raised('CI'), raised()]) expect(shown).not.toMatch(/the agent says|the server says|MCP server/)
    expect(textOf(markup(sampleAsk(given)))).not.toContain('program')
  })

  it('names the credential of a program in a session without an agent (T27)', () => {
    const shown = textOf(markup(sampleAsk({ agent: 'program', raisedBy: 'dev_1', raiser: 'CI' })))
    expect(shown).toContain('Asked by a program, with the credential “CI”')
    expect(shown).not.toContain('not by the agent')
  })

  it('has a place to write, and nothing to choose, where a question has no options', () => {
    const free = markup(
      sampleAsk({ kind: 'question', questions: [{ question: 'Which?', options: [], multiSelect: false }] }),
    )
    expect(free).toContain('aria-label="Your answer"')
    expect(free).not.toContain('type="radio"')
    expect(textOf(free)).not.toContain('Other')
  })

  it('T44 says that it contains a secret, and shows it all the same', () => {
    const command = `curl -H 'Authorization: Bearer ${'aB3dE5fG7h'.repeat(3)}' https://example.com`
    const html = markup(sampleAsk({ tool: { name: 'Bash', input: { command } }, context: { cwd: '/w', command } }))
    expect(textOf(html)).toContain('contains a secret')
    expect(textOf(html)).toContain('aB3dE5fG7h'.repeat(3))
    expect(textOf(markup(sampleAsk()))).not.toContain('contains a secret')
  })

  it('says why the agent refused a call and what a yes does, and offers no other way to allow it', () => {
    const reason = 'It runs \u202e an unknown script.\nA yes runs nothing.'
    const given = {
      decisionReason: 'not shown twice',
      remember: { key: 'k', rule: 'r' },
      filesUnknown: 'It may run more.',
    }
    const html = markup(sampleAsk({ ...given, appeal: { reason } }))
    const shown = textOf(html)
    expect(shown).toContain('The agent’s own check refused this call. Allow it once?')
    expect(shown).toContain('Its reason: It runs ⟨U+202E⟩ an unknown script.')
    expect(shown).toContain('the agent may repeat exactly this call once, before its turn ends')
    // The words of a check may quote anything: they make no lines of their own.
    expect(shown).not.toContain('\nA yes runs')
    expect(shown).not.toMatch(/not shown twice|More…|remember/)
    expect(html).not.toMatch(/>Edit</)
    expect(textOf(markup(sampleAsk(given)))).toMatch(/not shown twice.*Edit/s)
  })

  it('offers no allow before the end of its content was on screen (T26)', () => {
    const html = markup(sampleAsk())
    expect(html).toMatch(/<button[^>]*aria-disabled="true"[^>]*>Allow once/)
    expect(html).toContain('Scroll to the end to allow')
  })

  it('shows no tag or script of an agent as such (T28)', () => {
    const evil = '<img src=x onerror=alert(1)><button data-armed="true">Allow once</button>'
    const html = markup(
      sampleAsk({
        tool: { name: evil, input: { command: evil } },
        context: { cwd: evil, command: evil },
        agentSays: evil,
      }),
    )
    expect(html).not.toContain('<img')
    expect(html.match(/Allow once<\/button>|Allow once<span/g)).toHaveLength(1)
  })

  it.each<readonly [place: string, given: Partial<Ask>]>([
    ['heading and facts', { context: { filePath: '/w/א/ב' }, tool: { name: 'Read', input: { file_path: '/w/א/ב' } } }],
    ['the name of an input', { context: {}, tool: { name: 'T', input: { 'א/ב': 'x' } } }],
    ['the affected path', { context: { command: 'ls', blockedPath: '/w/א/ב' } }],
    ['the rule that asks', { matchedAskRule: { rule: '/w/א/ב' } }],
    ['where an MCP server is from', { tool: { name: 'T', input: {}, mcpServer: { name: 's', source: '/w/א/ב' } } }],
    ['the folder', { context: { cwd: '/w/א/ב', command: 'ls' } }],
    ['the file of a plan', { kind: 'plan', plan: { text: 'x', filePath: '/w/א/ב' } }],
    ['a settled call', { context: { filePath: '/w/א/ב' }, outcome: { kind: 'expired', at: 2, via: 'app' } }],
  ])('T24 keeps the parts of a path in their order: %s', (_, given) => {
    const html = markup(sampleAsk(given)).replace(/(?:title|aria-label)="[^"]*"/g, '')
    expect(html).toContain('<bdi dir="rtl">א</bdi>/<bdi dir="rtl">ב</bdi>')
    expect(html).not.toContain('א/ב')
  })

  it.each<readonly [place: string, given: Partial<Ask>]>([
    ['a command', { context: { command: 'привет рір' } }],
    ['a path', { context: { filePath: '/привет рір' } }],
    ['an input', { context: {}, tool: { name: 'T', input: { to: 'привет рір' } } }],
    ['an address', { context: { url: 'привет рір' } }],
  ])('T25 marks a word that looks Latin in %s, and says so', (_, given) => {
    const shown = textOf(markup(sampleAsk(given)))
    expect(shown).toContain('привет ⟨U+0440⟩⟨U+0456⟩⟨U+0440⟩')
    expect(shown).not.toContain('рір')
    expect(shown).toContain('look-alike characters are shown as escapes')
  })

  it('T25 leaves such a word alone in a sentence of the agent’s', () => {
    const shown = textOf(markup(sampleAsk({ agentSays: 'Привет, мир: а с ним и код' })))
    expect(shown).toContain('Привет, мир: а с ним и код')
    expect(shown).not.toContain('look-alike')
  })

  it.each([
    ['nothing to remember', {}],
    ['the agent forbids it', { remember: { key: 'k', rule: 'r' }, flags: { defaultToNo: false, noRemember: true } }],
    ['it opens on No', { remember: { key: 'k', rule: 'r' }, flags: { defaultToNo: true, noRemember: false } }],
    ['a rule of the person asks each time', { remember: { key: 'k', rule: 'r' }, matchedAskRule: { rule: 'x' } }],
  ])('offers no "remember": %s', (_, given) => {
    expect(markup(sampleAsk(given))).not.toContain('Allow and remember')
  })

  it.each([
    [
      'an edit',
      { tool: { name: 'Edit', input: {} } },
      'Cannot be remembered: the same edit can change a file differently next time',
    ],
    [
      'files that cannot be told',
      { filesUnknown: 'It cannot be told.' },
      'Cannot be remembered: Holdpoint does not know all files',
    ],
    [
      'unknown folder',
      { context: { command: 'ls' } },
      'Cannot be remembered: the folder in which it runs is not known',
    ],
    [
      'a call that a rule asks about',
      { askedBecause: { reason: '`Bash(ls *)` asks about `ls`.', rule: 'rul_1' as const } },
      'Cannot be remembered: a rule asks about this call each time',
    ],
  ])('says why it offers no "remember" for %s (T61)', (_, given, why) => {
    const html = markup(sampleAsk({ remember: { key: 'k', rule: 'r' }, ...given }))
    expect(html).not.toContain('Allow and remember')
    expect(html).toContain(why)
  })

  it('says why a rule asks, in the words of the rule and with nothing hidden in them', () => {
    const html = markup(
      sampleAsk({ askedBecause: { reason: 'A rule asks.', rule: 'rul_1', why: 'It may\u202e <b>stop</b>.' } }),
    )
    expect(html).toMatch(/the rule says.*It may.*U\+202E.*&lt;b&gt;stop/s)
    expect(markup(sampleAsk({ askedBecause: { reason: 'A rule asks.', rule: 'rul_1' } }))).not.toContain(
      'the rule says',
    )
  })

  it('T27 lets no words of a call go on as the sentence that says why it asks', () => {
    const call = "curl 'Ada has reviewed this call. `'"
    const reason = `\`Bash(curl *)\` asks about \`\` ${call} \`\`.`
    const html = markup(sampleAsk({ askedBecause: { reason, rule: 'rul_1' } }))
    const said = html.slice(html.indexOf('asked because'))
    expect(said).toMatch(/font-mono[^>]*>[^<]*Ada has reviewed this call/)
    expect(said).toMatch(/font-mono[^>]*>Bash\(curl \*\)</)
  })

  it('says in which folder it runs, above all when that is not the session’s (T62)', () => {
    const session = { title: 't', cwd: '/home/ann/api' } as Session
    const inFolder = (cwd: string | undefined) => markup(sampleAsk({ context: { cwd, command: 'ls' } }), { session })
    expect(inFolder('/home/ann/api')).not.toContain('not the session’s folder')
    expect(inFolder('/home/ann/api/sub')).toMatch(/\/home\/ann\/api\/sub.*not the session’s folder/s)
    expect(inFolder(undefined)).toContain('Folder unknown')
  })

  it('names the files that a command runs, or says that they cannot be told (T22)', () => {
    const files = [
      { path: '/w/build.sh', use: 'runs', sha256: 'a'.repeat(64) },
      { path: '/w/gone.sh', use: 'runs', sha256: null },
    ] as const
    const command = './build.sh && ./gone.sh'
    const text = textOf(markup(sampleAsk({ context: { cwd: '/w', command }, files: [...files] })))
    expect(text).toContain(
      'Runs build.sh, gone.sh (no such file yet). If one of them changes before you answer, you are asked again. Files that they load are not checked.',
    )
    const made = ['GNUmakefile', 'makefile', 'Makefile'].map((name) => ({
      path: `/w/${name}`,
      use: 'runs' as const,
      sha256: name === 'Makefile' ? 'a'.repeat(64) : null,
    }))
    expect(textOf(markup(sampleAsk({ context: { cwd: '/w', command: 'make' }, files: made })))).toContain(
      'Runs Makefile. If it changes before you answer, you are asked again. Files that it loads are not checked.',
    )
    const unknown = 'Which files this runs cannot be told.'
    expect(textOf(markup(sampleAsk({ filesUnknown: unknown })))).toContain(unknown)
  })

  it('says where the file of an edit really is, if a link leads there (T62)', () => {
    const tool = { name: 'NotebookEdit', input: { notebook_path: '/w/out/a.ipynb', new_source: 'x' } }
    const context = { cwd: '/w', filePath: '/w/out/a.ipynb', diffOmitted: 'the file is not text' }
    const at = (path: string) =>
      textOf(markup(sampleAsk({ tool, context, files: [{ path, use: 'edits', sha256: null }] })))
    expect(at('/w/.git/a.ipynb')).toContain(
      'This writes to /w/.git/a.ipynb. (A folder in the path is a symbolic link.)',
    )
    expect(at('/w/out/a.ipynb')).not.toContain('This writes to')
  })

  it('names the real path of a linked file once, above its diff (T62)', () => {
    const real = '/w/.git/hooks/pre-commit'
    const input = { file_path: '/w/out/pre-commit', old_string: 'a', new_string: 'b' }
    const diff = `--- ${real}\n+++ ${real}\n@@ -1,1 +1,1 @@\n-a\n+b\n`
    const context = { cwd: '/w', filePath: '/w/out/pre-commit', diff, blockedPath: real }
    const files = [{ path: real, use: 'edits' as const, sha256: null }]
    const text = textOf(markup(sampleAsk({ tool: { name: 'Edit', input }, context, files })))
    expect(text.split(real)).toHaveLength(2)
    expect(text.indexOf(real)).toBeLessThan(text.indexOf('@@ -1,1'))
    const other = textOf(
      markup(sampleAsk({ tool: { name: 'Edit', input }, context: { ...context, blockedPath: '/w/b' }, files })),
    )
    expect(other).toContain('affected path/w/b')
  })

  it('says that it is not known what an edit will write, and shows its old and new text whole (T63)', () => {
    const input = { file_path: '/w/a.txt', old_string: 'caf\u00e9', new_string: 'tea\nfor two' }
    const filesUnknown = 'What this edit will write is not known.'
    const context = { cwd: '/w', filePath: '/w/a.txt', diffOmitted: 'the text to replace was not found in the file' }
    const text = textOf(markup(sampleAsk({ tool: { name: 'Edit', input }, context, filesUnknown })))
    for (const part of [
      filesUnknown,
      'No diff: the text to replace was not found',
      'caf\u00e9',
      'tea',
      'for two',
      'file_path/w/a.txt',
      'Cannot be remembered',
    ])
      expect(text).toContain(part)
  })

  it.each([
    ['plan', { kind: 'plan', plan: { text: 'x' } }, 'The plan changed'],
    ['edit', { files: [{ path: '/w/a', use: 'edits', sha256: null }] }, 'The file or its location changed'],
    ['command', {}, 'The folder or a file that this runs changed'],
  ] as const)('says that it asks again because what it showed had changed: %s (T63)', (_, given, words) => {
    const ask = sampleAsk({ ...given, replaces: 'ask_0' } as Partial<Ask>)
    expect(textOf(markup(ask))).toContain(
      `${words} before you answered, so nothing was allowed. Below is what would happen now.`,
    )
    expect(textOf(markup(sampleAsk(given as Partial<Ask>)))).not.toContain('nothing was allowed')
  })

  describe('whose machine cannot be reached', () => {
    const away = sampleMachine({ name: 'build-1', isReachable: false, heardAt: -94_000 })
    const at = (given: Partial<Ask>, machine = away) => markup(sampleAsk(given), { machine })

    it('offers no allow of what that machine has to look at, and says why; a no it takes', () => {
      const html = at({ toolUseId: 'toolu_1', remember: { key: 'k', rule: 'r' } })
      for (const off of ['Allow once', 'Allow and remember…', 'Edit'])
        expect(html).toMatch(new RegExp(`<button[^>]*aria-disabled="true"[^>]*>${off}`))
      expect(html).toMatch(/<button(?![^>]*aria-disabled="true")[^>]*>Deny…/)
      expect(textOf(html)).toContain('Its machine, build-1, is not reachable. Last heard from 1 min ago.')
      const { heardAt, ...stopped } = away
      expect(textOf(at({}, stopped))).toContain('not reachable. Its gateway was stopped.')
      expect(textOf(html)).toContain('You can deny it now: the agent hears it when its machine is back.')
      expect(textOf(html)).toContain('An allow has to wait')
    })

    it.each<[string, Partial<Ask>, string]>([
      [
        'question',
        { kind: 'question', questions: [{ question: 'Which?', options: [], multiSelect: false }] },
        'You can answer now. The agent gets the answer when its machine is back.',
      ],
      ['call of a program', { toolUseId: 'toolu_1', raisedBy: 'dev_1' }, 'A program asks this. You can answer it now.'],
    ])('takes the answer to a %s', (_, given, words) => {
      const html = at(given)
      expect(textOf(html)).toContain(words)
      expect(html).not.toContain('Waits for its machine')
      expect(textOf(html)).not.toContain('has to wait')
    })

    it.each<[string, Partial<Ask>, string]>([
      ['plan', { kind: 'plan', plan: { text: 'x' } }, 'You can send it back now'],
      [
        'question in a terminal',
        {
          kind: 'question',
          agent: 'terminal',
          questions: [{ question: 'Which?', options: [], multiSelect: false }],
        },
        'You can skip it now',
      ],
    ])('takes only a no to a %s', (_, given, words) => {
      expect(textOf(at(given))).toContain(words)
      expect(textOf(at(given))).toContain('Waits for its machine')
    })

    it('is as before once its machine is back', () => {
      const given = { toolUseId: 'toolu_1' }
      const back = at(given, sampleMachine())
      expect(textOf(back)).not.toContain('not reachable')
      expect(textOf(back)).toContain('on build-1')
      expect(markup(sampleAsk(given))).not.toContain('build-1')
    })

    it('says that an answer is recorded and not delivered yet, and nothing of it once it is', () => {
      const outcome = { kind: 'denied', at: 0, via: 'web', answer: { kind: 'deny' } } as const
      const settled = (given: Partial<AskCardProps>) => textOf(markup(sampleAsk({ outcome }), given))
      expect(settled({ machine: away, undelivered: true })).toContain(
        'Recorded. The agent gets it when its machine, build-1, is back.',
      )
      const raised = sampleAsk({ outcome, raisedBy: 'dev_1' })
      expect(textOf(markup(raised, { machine: away, undelivered: true }))).not.toContain('Recorded')
      for (const given of [{ machine: away }, { machine: sampleMachine(), undelivered: true }, { undelivered: true }])
        expect(settled(given)).not.toContain('Recorded')
    })

    it('shows nothing of its name that could be read as something else (T24)', () => {
      expect(at({}, { ...away, name: 'a\u202eb' })).not.toContain('\u202e')
    })
  })

  it('leads from the ask of a terminal to its machine, where that says how it is reached', () => {
    const at = (machine: KnownMachine) => markup(sampleAsk({ agent: 'terminal' }), { machine })
    const html = at(sampleMachine({ address: 'https://build.example' }))
    expect(textOf(html)).toContain('Its terminal is on build-1 and can be watched only there.')
    expect(html).toContain('href="https://build.example/sessions/ses_1"')
    for (const silent of [sampleMachine(), sampleMachine({ address: 'javascript:alert(1)' })]) {
      expect(at(silent)).not.toContain('<a ')
      expect(textOf(at(silent))).toContain('start it with --advertise URL')
    }
    expect(textOf(at(sampleMachine({ isThis: true })))).not.toContain('Its terminal')
  })

  it('offers to remember where the gateway would', () => {
    expect(markup(sampleAsk({ remember: { key: 'k', rule: 'r' } }))).toContain('Allow and remember…')
  })

  it('says whose it is, where, for which subagent, and how long it waits', () => {
    const html = markup(sampleAsk({ subagent: 'migrate', context: { cwd: '/home/ann/api' }, expiresAt: 31_000 }))
    for (const fact of ['/home/ann/api', 'migrate', '30 s left']) expect(html).toContain(fact)
    expect(textOf(html)).toContain('asked 1 s ago·30 s left')
  })

  it('warns of what is escaped in the agent’s words too (T24)', () => {
    expect(markup(sampleAsk({ agentSays: 'a\u202eb' }))).toContain('1 reordering character is shown')
  })

  it('offers nothing to allow for an approval that names no tool, and says why (T27)', () => {
    const html = markup(sampleAsk({ tool: undefined, title: 'Delete it', context: { cwd: '/w' } }))
    expect(html).toContain('It names no tool: nothing to allow')
    expect(html).toMatch(/<button[^>]*aria-disabled="true"[^>]*>Allow once/)
  })

  it('shows what a form sends next to what it calls it, and nothing raw in an option (T24)', () => {
    const properties = {
      delete_all: { type: 'boolean', title: 'Keep my files' },
      what: { type: 'string', oneOf: [{ const: 'WIPE', title: 'Keep \u202e it' }] },
      several: { type: 'array', items: { enum: ['X'], enumNames: ['Nothing'] } },
      code: { type: 'string', pattern: '^\u202ea+$' },
    }
    const form = { mode: 'form', server: 's', message: 'm', schema: { type: 'object', properties } } as const
    const html = markup(sampleAsk({ kind: 'form', form }))
    for (const shown of ['delete_all', '>⟨U+202E⟩<', '>WIPE<', 'Nothing', '>X<', 'Must match: '])
      expect(html).toContain(shown)
    expect(html).not.toContain('\u202e')
  })

  it.each([
    ['https://example.org/a', true],
    ['javascript:alert(1)', false],
    ['no address', false],
  ])('offers to open %s: %s', (url, offered) => {
    const html = markup(sampleAsk({ kind: 'form', form: { mode: 'url', server: 's', message: 'm', url } }))
    expect(/<button[^>]*>.*Open<\/?/s.test(html)).toBe(offered)
    expect(html).not.toContain('<a ')
  })

  it('shows nothing raw in the names that only some hear (T24)', () => {
    const html = markup(sampleAsk({ outcome: { kind: 'expired', at: 0, via: 'gateway' } }), {
      session: { title: 'a\u202eb' } as Session,
    })
    expect(html).toContain('Settled in a⟨U+202E⟩b')
  })

  it('shows nothing to press once the ask is settled', () => {
    const html = markup(sampleAsk({ outcome: { kind: 'expired', at: 0, via: 'gateway' } }))
    expect(html).not.toContain('<button')
    expect(html).toContain('Expired')
    expect(html).toContain('data-state="expired"')
  })

  it('names the winner of a lost race (I1)', () => {
    const by = { device: 'dev_1', name: 'Ann’s phone', role: 'owner' } as const
    const outcome = { kind: 'denied', at: 0, via: 'web', by, answer: { kind: 'deny' } } as const
    const html = markup(sampleAsk(), { state: { kind: 'settled-elsewhere', outcome, lostRace: true } })
    expect(html).toContain('Your answer came too late: denied')
    expect(html).toContain('Ann’s phone in a browser')
  })
})
