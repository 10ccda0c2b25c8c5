import type { Ask } from '@holdpoint/schema/ask'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from '../sample-ask.ts'
import { approvalBlocks, textsOf } from './approval-blocks.ts'

function approval(input: Record<string, unknown>, given: Partial<Ask> = {}): Ask {
  return sampleAsk({ tool: { name: 'Tool', input }, context: { cwd: '/w' }, ...given })
}

describe('what of an input is shown', () => {
  it('shows the command, and lists what else the call says', () => {
    const input = { command: 'npm run dev', run_in_background: true, timeout: 5000, description: 'Starts it' }
    const blocks = approvalBlocks(
      approval(input, { agentSays: 'Starts it', context: { cwd: '/w', command: 'npm run dev' } }),
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

  it('shows the diff in place of what it was made of, and the raw content where there is none', () => {
    const input = { file_path: '/w/a.ts', content: 'one\ntwo' }
    const diff = approvalBlocks(approval(input, { context: { cwd: '/w', filePath: '/w/a.ts', diff: '+one' } }))
    expect(diff).toEqual([{ kind: 'diff', key: 'diff', diff: '+one', filePath: '/w/a.ts' }])
    const raw = approvalBlocks(approval(input, { context: { cwd: '/w', filePath: '/w/a.ts', diffOmitted: 'binary' } }))
    expect(raw).toEqual([{ kind: 'text', key: 'input content', label: 'content', text: 'one\ntwo', path: '/w/a.ts' }])
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
              return block.facts.some((fact) => fact.name === name && fact.value === String(entry))
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
