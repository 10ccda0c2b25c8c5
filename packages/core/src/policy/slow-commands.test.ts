import { describe, expect, it } from 'vitest'
import { HOME, judged, PROJECT, policyCall, policyRule } from './fixtures/judged.ts'
import { guessedCommands } from './guessed-commands.ts'
import { pathsOf } from './judge.ts'
import { shellParts } from './shell-parts.ts'

function times(count: number, text: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => text(at)).join('')
}

const MANY_FOLDERS = times(60, (at) => `cd /a${at}; `)
const LONG: readonly (readonly [what: string, command: string])[] = [
  ['commands', times(40_000, () => 'a;')],
  ['words', `touch${times(30_000, () => ' a')}`],
  ['words of programs that run others', `env ${times(190, () => `'${'env '.repeat(100)}a b' `)}`],
  ['lines in lines', `sh <<E\n${times(5000, () => 'sh -c "sh -c ls"\n')}E`],
  ['braces', `cat ${'{a'.repeat(40_000)}`],
  ['braces around others in quotes', `cat ${"{'}'".repeat(20_000)}`],
  ['brackets of an old kind', `cat ${'$['.repeat(40_000)}`],
  ['substitutions in others', `cat ${'$('.repeat(40_000)}`],
]

describe('T49 a command that would take seconds to be read', () => {
  it.each(LONG)('is cut: many %s', (_, command) => {
    const { parts, isUnread, isCut } = shellParts(command, PROJECT, HOME)
    const words = parts.reduce((sum, part) => sum + (part.type === 'command' ? part.words.length : 1), 0)
    expect({ isUnread, isCut }).toEqual({ isUnread: true, isCut: true })
    expect(words).toBeLessThanOrEqual(25_000)
  })

  it.each(LONG)('asks, for nobody knows what it changes (T71): many %s', (_, command) => {
    expect(judged([], command, { facts: { guarded: [`${HOME}/.holdpoint`] } })).toMatchObject({ effect: 'ask' })
  })

  it('has few paths to look up, however many folders it may run in', () => {
    const command = `${MANY_FOLDERS}touch ${times(4000, (at) => ` f${at}`)}`
    expect(pathsOf(policyCall({ type: 'command', command })).length).toBeLessThan(5000)
    const few = `${MANY_FOLDERS}touch ${times(20, (at) => ` f${at}`)}`
    expect(pathsOf(policyCall({ type: 'command', command: few }))).toContain('/a59/f19')
    const facts = { guarded: [`${HOME}/.holdpoint`] }
    expect(judged([], command, { facts })).toMatchObject({ effect: 'ask' })
  })

  it('has few words in the commands that a program of code may run', () => {
    const guessed = guessedCommands([{ text: 'node' }, { text: '-e' }, { text: 'git '.repeat(20_000) }])
    expect(guessed.reduce((sum, words) => sum + words.length, 0)).toBeLessThan(2_000_000)
    const code = `node -e '${'a '.repeat(20_000)} git push'`
    expect(judged([policyRule('deny', 'Bash(git push *)')], code)).toMatchObject({ effect: 'ask' })
  })

  it('is none that people write', () => {
    const json = `'${JSON.stringify(Array.from({ length: 250 }, (_, id) => ({ id })))}'`
    for (const command of [`eslint ${times(190, (at) => ` f${at}`)}`, `curl -d ${json} x`, 'x'.repeat(100_000)])
      expect(shellParts(command, PROJECT, HOME).isCut).toBe(undefined)
  })
})
