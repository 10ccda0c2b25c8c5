import { report } from '@holdpoint/testing/long'
import { describe, expect, it } from 'vitest'
import { HOSTILE } from './fixtures/hostile-techniques.ts'
import { judged, policyRule } from './fixtures/judged.ts'
import { ORDINARY } from './fixtures/ordinary-commands.ts'
import { REALISTIC_RULES } from './fixtures/realistic-rules.ts'
import { STARTER_RULES } from './starter-rules.ts'

const STARTER = STARTER_RULES.map(({ effect, pattern }) => policyRule(effect, pattern))
const REALISTIC = REALISTIC_RULES.map((pattern) => policyRule('allow', pattern))
/**
 * The most that the starter rules, rules as people have them, or both can allow: rules that ask take away from it, and
 * fewer rules that allow never add to it. So one look at each command is enough for all three.
 */
const ALLOWING = [...STARTER.filter(({ effect }) => effect === 'allow'), ...REALISTIC]

describe('T14–T18 hostile commands', () => {
  it('are not allowed by the starter rules, by rules as people have them, nor by both', () => {
    const allowed = HOSTILE.flatMap(({ technique, commands }) =>
      commands
        .filter((command) => judged(ALLOWING, command).effect === 'allow')
        .map((command) => `${technique}: ${command}`),
    )
    expect(allowed).toEqual([])
  })
})

describe('ordinary commands under the starter rules', () => {
  it('are allowed where they only read, mostly, and nowhere else', () => {
    const allowed = ORDINARY.filter(({ command }) => judged(STARTER, command).effect === 'allow')
    const reading = ORDINARY.filter(({ does }) => does === 'reads')
    const readingAllowed = allowed.filter(({ does }) => does === 'reads')
    report(`ordinary commands: ${readingAllowed.length} of ${reading.length} that only read are allowed`)
    expect(allowed.filter(({ does }) => does !== 'reads')).toEqual([])
    expect(readingAllowed.length / reading.length).toBeGreaterThanOrEqual(0.62)
  })
})
