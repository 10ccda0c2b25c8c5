import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { recordedScreen } from './fixtures/recorded-screen.ts'
import { mayAsk } from './may-ask.ts'

const NAMES = readdirSync(new URL('./fixtures/screens', import.meta.url)).map((name) => name.replace('.txt', ''))
/** Claude Code's prompt is in front, or a shell. */
const isFree = (name: string) => /^(prompt-|idle|cleared|subagent-done)/.test(name)

describe('T68 mayAsk', () => {
  it.each(NAMES.filter((name) => !isFree(name)))('sees that `%s` waits', (name) => {
    expect(mayAsk(recordedScreen(name))).toBe(true)
  })

  it.each(NAMES.filter(isFree))('sees that `%s` does not', (name) => {
    expect(mayAsk(recordedScreen(name))).toBe(false)
  })

  it.each([
    ['trust in a folder', [' Do you trust this folder?', '', ' ❯ 1. Yes, I trust this folder', '   2. No, exit']],
    ['a frame', ['│ Do you want to proceed?  │', '│ ❯ 1. Yes                 │', '╰──────────────────────────╯']],
    ['a choice without numbers', [' Fill in the form', '', ' name: ▏', '', ' Enter to submit · Esc to cancel']],
    ['a cut screen', [' Esc to cancel · Tab to amend']],
    ['a narrow screen', ['   3. No', '', 'Esc t', 'o can', 'cel ·', ' Tab ', 'to am', 'end']],
  ])('takes %s for a question', (_, lines) => {
    expect(mayAsk([...lines, '', ''])).toBe(true)
  })

  const drawn = ['─'.repeat(40), '❯ ', '─'.repeat(40), '  ? for shortcuts']
  it.each([
    ['a choice', ['  ❯ 1. Yes', '    2. No']],
    ['a form', ['  name: ▏', '', '  Enter to submit · Esc to cancel']],
  ])('is not misled by a prompt that the text of a dialog draws above %s', (_, dialog) => {
    expect(mayAsk([...drawn, ''])).toBe(false)
    expect(mayAsk([...drawn, ...dialog, ''])).toBe(true)
    // What was said before the prompt asks nothing.
    expect(mayAsk([...dialog, ...drawn, ''])).toBe(false)
  })

  it.each([
    ['a shell', ['$ make', 'done', '$ ']],
    ['a list that a shell has printed', ['$ cat todo', '1. Yes', '2. No', '$ ']],
    ['a shell whose prompt looks like a cursor', ['~/code', '❯ git status', 'clean', '~/code', '❯ ']],
    ['an installer', ['Press ENTER to continue']],
    ['nothing', []],
  ])('does not take %s for one', (_, lines) => {
    expect(mayAsk([...lines, '', ''])).toBe(false)
  })
})
