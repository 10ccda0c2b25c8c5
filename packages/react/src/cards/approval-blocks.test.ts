import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import type { Ask } from '@holdpoint/schema/ask'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { approvalBlocks, besidesPlan, textsOf } from './approval-blocks.ts'

function approval(input: Record<string, unknown>, given: Partial<Ask> = {}, name = 'Tool'): Ask {
  const display = callDisplay({ name, input, diff: given.context?.diff })
  return sampleAsk({ tool: { name, input }, display, context: { cwd: '/w' }, ...given })
}

describe('what of an input is shown', () => {
  it('shows the command, and lists what else the call says', () => {
    const input = { command: 'npm run dev', run_in_background: true, timeout: 5000, description: 'Starts it' }
    const blocks = approvalBlocks(
      approval(input, { agentSays: 'Starts it', context: { cwd: '/w', command: 'npm run dev' } }, 'Bash'),
    )
    expect(blocks).toEqual([
      { kind: 'command', key: 'command', text: 'npm run dev' },
      {
        kind: 'facts',
        key: 'facts',
        facts: [
          { name: 'run_in_background', value: 'true' },
          { name: 'timeout', value: '5000' },
        ],
      },
    ])
  })

  it('shows a description that is not the one in the box of the agent’s words (T27)', () => {
    const ask = approval({ command: 'ls', description: 'other' }, { context: { cwd: '/w', command: 'ls' } })
    expect(textsOf(approvalBlocks(ask))).toContain('other')
  })

  it('keeps a description of a tool that does something with it where its end must be seen (T26)', () => {
    const description = 'Fix the typo'
    const ask = approval({ description }, { agentSays: description }, 'mcp__jira__create_issue')
    expect(approvalBlocks(ask)).toEqual([{ kind: 'tree', key: 'input', label: 'Input', value: { description } }])
  })

  it.each([
    ['long', 'x'.repeat(301)],
    ['of many lines', 'x\n'.repeat(7)],
  ])('wants the end of words to be seen that are %s, of the agent and of a program (T26)', (_, text) => {
    const words = { kind: 'words', key: 'words', text }
    const command = { kind: 'command', key: 'command', text: 'ls' }
    const input = { command: 'ls', description: text }
    const context = { cwd: '/w', command: 'ls' }
    expect(approvalBlocks(approval(input, { agentSays: text, context }, 'Bash'))).toEqual([command, words])
    const raised = sampleAsk({ raiser: 'ci', tool: { name: 'Deploy', input: {} }, context: {}, agentSays: text })
    expect(approvalBlocks(raised)).toEqual([{ kind: 'tree', key: 'input', label: 'Input', value: {} }, words])
  })

  it.each([
    ['Bash', { note: 'ls', command: 'ls' }, { command: 'ls' }],
    ['WebFetch', { prompt: 'https://a.example', url: 'https://a.example' }, { url: 'https://a.example' }],
    ['WebSearch', { site: 'news', query: 'news' }, { query: 'news' }],
    ['Write', { note: '/w/a', file_path: '/w/a', content: 'x' }, { filePath: '/w/a', diff: '+x' }],
  ])('I6 shows another field of the same text under its own name: %s', (name, input, facts) => {
    const other = Object.entries(input)[0]
    const blocks = approvalBlocks(approval(input, { context: { cwd: '/w', ...facts } }, name))
    const shown = blocks.flatMap((block) => (block.kind === 'facts' ? block.facts : []))
    expect(shown.map((fact) => [fact.name, fact.value])).toEqual([other])
  })

  it('I6 shows all fields of the same text where no driver says which one runs', () => {
    const ask = sampleAsk({ tool: { name: 'Shell', input: { note: 'ls', command: 'ls' } }, context: { command: 'ls' } })
    const facts = approvalBlocks(ask).flatMap((block) => (block.kind === 'facts' ? block.facts : []))
    expect(facts.map(({ name }) => name)).toEqual(['note', 'command'])
  })

  it('says of a short value whether it is text', () => {
    const input = { command: 'ls', a: false, b: 'false', c: 1, d: '1', e: '', f: '"x', g: 'plain', h: null, i: ' x' }
    const blocks = approvalBlocks(approval(input, { context: { cwd: '/w', command: 'ls' } }))
    const facts = blocks.flatMap((block) => (block.kind === 'facts' ? block.facts : []))
    expect(facts.map(({ name, value }) => `${name} ${value}`)).toEqual([
      'a false',
      'b "false"',
      'c 1',
      'd "1"',
      'e ""',
      'f ""x"',
      'g plain',
      'h null',
      'i " x"',
    ])
  })

  it('shows all of a plan’s call but the plan and its file (T26)', () => {
    const plan = { text: 'x', filePath: '/w/p.md' }
    const input = { plan: 'x', planFilePath: '/w/p.md' }
    const besides = (given: Record<string, unknown>) => besidesPlan(approval(given, { plan }, 'ExitPlanMode'))
    expect(besides(input)).toBeUndefined()
    expect(besides({ ...input, allowedPrompts: [1] })).toEqual({ allowedPrompts: [1] })
    expect(besides({ plan: 'y' })).toEqual({ plan: 'y' })
    expect(besides({ ...input, planFilePath: '/w/other.md' })).toEqual({ planFilePath: '/w/other.md' })
    // A driver says where a field is shown: without one, all of them are.
    expect(besidesPlan(sampleAsk({ plan, tool: { name: 'Any', input } }))).toEqual({ planFilePath: '/w/p.md' })
  })

  it('shows the diff in place of what it was made of, and the raw content where there is none', () => {
    const input = { file_path: '/w/a.ts', content: 'one\ntwo' }
    const context = { cwd: '/w', filePath: '/w/a.ts', diff: '+one' }
    const diff = { kind: 'diff', key: 'diff', diff: '+one', filePath: '/w/a.ts' }
    expect(approvalBlocks(approval(input, { context }, 'Write'))).toEqual([diff])
    const more = approvalBlocks(approval({ ...input, new_string: 'unseen' }, { context }, 'Write'))
    expect(more).toEqual([diff, { kind: 'facts', key: 'facts', facts: [{ name: 'new_string', value: 'unseen' }] }])
    const raw = approvalBlocks(approval(input, { context: { cwd: '/w', filePath: '/w/a.ts', diffOmitted: 'binary' } }))
    expect(raw).toEqual([
      { kind: 'text', key: 'input content', label: 'content', text: 'one\ntwo', path: '/w/a.ts' },
      // The heading has it as seen from the folder alone.
      { kind: 'facts', key: 'facts', facts: [{ name: 'file_path', value: '/w/a.ts' }] },
    ])
  })

  it.each([
    ['what is taken away takes its line break', { old_string: 'one', new_string: '' }, 'new_string ""'],
    ['it is everywhere', { old_string: 'one', new_string: 'two', replace_all: true }, 'replace_all true'],
    ['the file has other quotes', { old_string: '"one"', new_string: '"two"' }, 'old_string ""one""'],
  ])('shows old and new text beside a diff that says less: %s (T63)', (_, edit, shown) => {
    const input = { file_path: '/w/a.ts', ...edit }
    const diff = '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-one\n+two\n'
    const blocks = approvalBlocks(approval(input, { context: { cwd: '/w', filePath: '/w/a.ts', diff } }, 'Edit'))
    expect(blocks[0]?.kind).toBe('diff')
    const facts = blocks.flatMap((block) => (block.kind === 'facts' ? block.facts : []))
    expect(facts.map(({ name, value }) => `${name} ${value}`)).toContain(shown)
    expect(facts.map(({ name }) => name)).toEqual(expect.arrayContaining(['old_string', 'new_string']))
  })

  it('shows an edit whose diff says all by its diff alone', () => {
    const input = { file_path: '/w/a.ts', old_string: 'one', new_string: 'two', replace_all: false }
    const diff = '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-one\n+two\n'
    const blocks = approvalBlocks(approval(input, { context: { cwd: '/w', filePath: '/w/a.ts', diff } }, 'Edit'))
    expect(blocks.map(({ kind }) => kind)).toEqual(['diff'])
  })

  it('shows a cell of a notebook by its diff, and all else that the call says (T63)', () => {
    const diff = '--- cell 1 of 2 (code)\n+++ cell 1 of 2 (code)\n@@ -1 +1 @@\n-one\n+two\n'
    const shown = (more: Record<string, unknown>, context = { cwd: '/w', filePath: '/w/a.ipynb', diff }) =>
      approvalBlocks(
        approval(
          { notebook_path: '/w/a.ipynb', cell_id: 'c1', new_source: 'two', ...more },
          { context },
          'NotebookEdit',
        ),
      ).flatMap((block) => (block.kind === 'facts' ? block.facts.map(({ name }) => name) : [block.kind]))
    expect(shown({})).toEqual(['diff', 'cell_id'])
    expect(shown({ edit_mode: 'insert', cell_type: 'code' })).toEqual(['diff', 'cell_id', 'edit_mode', 'cell_type'])
    expect(shown({ edit_mode: 'delete' })).toEqual(['diff', 'cell_id', 'new_source', 'edit_mode'])
    // Its lines stay as they are, so the diff has none of them.
    const made = '--- cell 1 of 2 (raw), made code\n+++ cell 1 of 2 (raw), made code\n'
    const asCode = shown({ cell_type: 'code' }, { cwd: '/w', filePath: '/w/a.ipynb', diff: made })
    expect(asCode).toEqual(['diff', 'cell_id', 'new_source', 'cell_type'])
  })

  it('shows all of an input that no driver has told of, whatever the tool is called (T26)', () => {
    const input = { command: 'ls', description: 'Lists', content: 'one', file_path: '/w/a.ts' }
    const context = { cwd: '/w', filePath: '/w/a.ts', diff: '+one' }
    for (const name of ['Bash', 'Write']) {
      const ask = sampleAsk({ tool: { name, input }, agentSays: 'Lists', context })
      const facts = approvalBlocks(ask).flatMap((block) => (block.kind === 'facts' ? block.facts : []))
      expect(facts.map((fact) => fact.name)).toEqual(['command', 'description', 'content'])
    }
  })

  it('shows many small fields as a tree that has an end to be seen (T26)', () => {
    const input = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, index]))
    const blocks = approvalBlocks(approval({ ...input, command: 'ls' }, { context: { cwd: '/w', command: 'ls' } }))
    expect(blocks.map((block) => block.kind)).toEqual(['command', 'tree'])
  })

  it('hides no field of any input (T26)', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.string()),
      fc.object(),
    )
    const context = fc.record(
      { command: fc.string(), filePath: fc.string(), url: fc.string(), query: fc.string() },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), context, fc.boolean(), (input, facts, sameValues) => {
        // Facts are values of the input, as a driver takes them from there, or strangers to it.
        const strings = Object.values(input).filter((entry) => typeof entry === 'string')
        const taken = sameValues
          ? Object.fromEntries(
              Object.entries(facts).flatMap(([name], index) =>
                strings[index] === undefined ? [] : [[name, strings[index]]],
              ),
            )
          : facts
        const blocks = approvalBlocks(approval(input, { context: { cwd: '/w', ...taken } }))
        const special = Object.values(taken)
        for (const [name, entry] of Object.entries(input)) {
          const shown = blocks.some((block) => {
            if (block.kind === 'tree') return Object.hasOwn(block.value as object, name)
            if (block.kind === 'facts')
              return block.facts.some((fact) => fact.name === name && isValueOf(fact.value, entry))
            return block.kind === 'text' && block.label === name && block.text === entry
          })
          expect(shown || special.includes(entry as string), `${name} is shown`).toBe(true)
        }
        expect(new Set(blocks.map((block) => block.key)).size).toBe(blocks.length)
      }),
      { numRuns: 500 },
    )
  })
})

function isValueOf(shown: string, entry: unknown): boolean {
  return shown === (typeof entry === 'string' ? entry : JSON.stringify(entry)) || shown === `"${entry}"`
}
