import { describe, expect, it } from 'vitest'
import { recordedScreen } from './fixtures/recorded-screen.ts'
import { readDialog } from './screen-dialog.ts'

const read = (name: string) => readDialog(recordedScreen(name))
const labels = (name: string) => read(name)?.options.map(({ digit, label }) => `${digit} ${label}`)

describe('readDialog', () => {
  it('reads what a tool may do, with the digits of yes and no', () => {
    expect(read('bash')).toMatchObject({
      kind: 'permission',
      heading: ['Bash command', expect.stringContaining('Tip:'), 'make a file'],
      body: [' touch made.txt'],
      question: 'Do you want to proceed?',
      canAmend: true,
    })
    expect(labels('bash')).toEqual([
      '1 Yes',
      '2 Yes, and always allow access to /code/project from this project',
      '3 Yes, and switch to auto mode · auto mode handles these prompts for you',
      '4 No',
    ])
    expect(labels('write')?.at(-1)).toBe('3 No')
    expect(labels('fetch')?.at(-1)).toBe('3 No, and tell Claude what to do differently (esc)')
    expect(read('fetch')).toMatchObject({ heading: ['Fetch', expect.anything()], canAmend: false })
    expect(read('search')).toMatchObject({ heading: ['Tool use', expect.anything()] })
    expect(read('edit')).toMatchObject({ heading: ['Edit file', 'old.txt'] })
    expect(read('mcp')).toMatchObject({ heading: ['Tool use', 'notes — Add Note Tool: (MCP)'], canAmend: true })
    expect(read('subagent')).toMatchObject({
      heading: ['Bash command · from the general-purpose agent', expect.anything(), 'make a file'],
      body: [' touch sub.txt'],
      canAmend: true,
    })
  })

  it('knows where the cursor is, and what was typed into an option', () => {
    const cursors = (name: string) => read(name)?.options.findIndex(({ isCursor }) => isCursor)
    expect([cursors('bash'), cursors('bash-on-no'), cursors('bash-amend')]).toEqual([0, 3, 3])
    expect(labels('bash-amend')?.at(-1)).toBe('4 No, and tell Claude what to do differently')
    expect(labels('bash-amended')?.at(-1)).toBe('4 No, not today, friend')
    expect(read('bash-amend')).toMatchObject({ canAmend: false })
  })

  it('reads the end of a dialog that does not fit on the screen, and says that the rest is missing', () => {
    for (const name of ['bash-tall', 'write-tall']) {
      const dialog = read(name)
      expect(dialog).toMatchObject({ kind: 'permission' })
      expect(dialog).not.toHaveProperty('heading')
    }
  })

  it('reads questions: single, with previews, with several answers, the look back', () => {
    expect(read('question-plain')).toMatchObject({ kind: 'question', question: 'Which colour?', isMulti: false })
    expect(labels('question-plain')?.at(-1)).toBe('3 Type something.')
    expect(labels('question-plain-typed')?.at(-1)).toBe('3 purple please')
    expect(labels('question-preview')).toEqual(['1 Two columns', '2 One column'])
    expect(read('question-multi')).toMatchObject({ isMulti: true, submit: { isCursor: false } })
    expect(read('question-multi-two')?.options.map(({ isChecked }) => isChecked)).toEqual([false, true, false, false])
    expect(read('question-two')).toMatchObject({ question: 'Which layout should the page have?' })
    expect(read('question-two-second')).toMatchObject({ question: 'Which parts should I test?', isMulti: true })
    expect(read('question-review')).toMatchObject({ kind: 'review', answers: ['Server'] })
    expect(read('plan')).toMatchObject({ kind: 'plan', fileName: expect.stringMatching(/^[\w-]+\.md$/) })
    expect(labels('plan')).toEqual([
      '1 Yes, and use auto mode',
      '2 Yes, manually approve edits',
      '3 Tell Claude what to change',
    ])
  })

  it('finds none where the prompt is in front', () => {
    expect(read('idle')).toBeUndefined()
    // The agent can write whatever it likes; it stands above the prompt.
    const dialog = recordedScreen('bash').filter((line) => line !== '')
    expect(readDialog([...dialog, ...recordedScreen('idle')])).toBeUndefined()
    expect(readDialog([])).toBeUndefined()
    expect(readDialog(['❯ 1. Yes', '  2. No'])).toBeUndefined()
  })

  it('finds none that was cut off in the middle of being drawn', () => {
    const screen = recordedScreen('bash')
    const yes = screen.findIndex((line) => line.includes('❯ 1. Yes'))
    for (let line = 0; line < yes + 4; line++) {
      expect(readDialog([...screen.slice(0, line), ...screen.slice(line).map(() => '')])).toBeUndefined()
    }
  })

  it('is not led astray by a call that looks like options', () => {
    const screen = recordedScreen('bash')
    const body = screen.indexOf(' touch made.txt')
    const forged = [...screen.slice(0, body), ' ❯ 1. No', '   2. Yes', ...screen.slice(body + 1)]
    expect(readDialog(forged)?.options.map(({ label }) => label)).toEqual(
      read('bash')?.options.map(({ label }) => label),
    )
  })
})
