import type { Ask } from '@holdpoint/schema/ask'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from '../sample-ask.ts'
import { approvalBlocks, besidesPlan, textsOf } from './approval-blocks.ts'

function approval(input: Record<string, unknown>, given: Partial<Ask> = {}, name = 'Tool'): Ask {
  return sampleAsk({ tool: { name, input }, context: { cwd: '/w' }, ...given })
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

  it.each([
    ['of a tool that does something with it', 'mcp__jira__create_issue', 'Fix the typo'],
    ['that is long', 'Bash', 'x'.repeat(301)],
    ['of many lines', 'Bash', 'x\n'.repeat(7)],
  ])('keeps a description %s where its end must be seen (T26)', (_, name, description) => {
    const ask = approval({ description }, { agentSays: description }, name)
    expect(approvalBlocks(ask)).toEqual([{ kind: 'tree', key: 'input', label: 'Input', value: { description } }])
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
    expect(besidesPlan(approval(input, { plan }))).toBeUndefined()
    expect(besidesPlan(approval({ ...input, allowedPrompts: [1] }, { plan }))).toEqual({ allowedPrompts: [1] })
    expect(besidesPlan(approval({ plan: 'y' }, { plan }))).toEqual({ plan: 'y' })
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
