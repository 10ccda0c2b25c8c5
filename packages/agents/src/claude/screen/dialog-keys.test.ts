import type { Question } from '@holdpoint/schema/ask'
import { describe, expect, it } from 'vitest'
import { type DialogGoal, goalOf, nextStep, untypeable } from './dialog-keys.ts'
import { recordedScreen } from './fixtures/recorded-screen.ts'
import { readDialog, type ScreenDialog } from './screen-dialog.ts'

const UP = '\x1b[A'
const DOWN = '\x1b[B'

function dialogOf(screen: string): ScreenDialog {
  const dialog = readDialog(recordedScreen(screen))
  if (!dialog) throw new Error(`no dialog in ${screen}`)
  return dialog
}
const step = (screen: string, goal: DialogGoal) => nextStep(dialogOf(screen), goal)

const colour: Question = {
  question: 'Which colour?',
  multiSelect: false,
  options: [
    { label: 'Red' },
    {
      label:
        'Green, which is a very long label that goes on and on until it has to wrap around at the end of the line, somehow',
    },
  ],
}
const parts: Question = {
  question: 'Which parts should I test?',
  multiSelect: true,
  options: [{ label: 'Store' }, { label: 'Server' }, { label: 'Page' }],
}
const answer = (question: Question, selected: string[], other?: string): DialogGoal => ({
  kind: 'answer',
  questions: [question],
  answers: [{ question: 0, selected, ...(other !== undefined && { other }) }],
})

describe('nextStep', () => {
  it('presses the digit that the screen has for yes, and for no', () => {
    expect(step('bash', { kind: 'allow' })).toEqual({ keys: '1', isLast: true })
    expect(step('bash', { kind: 'deny' })).toEqual({ keys: '4', isLast: true })
    expect(step('bash-long', { kind: 'deny' })).toEqual({ keys: '3', isLast: true })
    // Where the digit has only moved the cursor, and wherever somebody else has moved it.
    expect(step('bash-on-no', { kind: 'deny' })).toEqual({ keys: '\r', isLast: true })
    expect(step('bash-on-no', { kind: 'allow' })).toEqual({ keys: '1', isLast: true })
  })

  it('adds words to a no as the terminal offers it: to the option, Tab, the words, Enter', () => {
    const goal: DialogGoal = { kind: 'deny', message: 'not today, friend' }
    expect(step('bash', goal)).toEqual({ keys: DOWN })
    expect(step('bash-on-no', goal)).toEqual({ keys: '\t' })
    expect(step('bash-amend', goal)).toEqual({ keys: 'not today, friend' })
    expect(step('bash-amended', goal)).toEqual({ keys: '\r', isLast: true })
    expect(step('bash-amended', { kind: 'deny', message: 'something else' })).toHaveProperty('cannot')
    expect(step('fetch', goal)).toEqual({ keys: '3', isLast: true, leavesOutMessage: true })
  })

  it('chooses one option with the cursor', () => {
    expect(step('question-plain', answer(colour, ['Red']))).toEqual({ keys: '\r' })
    expect(step('question-plain', answer(colour, [colour.options[1]?.label ?? '']))).toEqual({ keys: DOWN })
    expect(step('question-plain-text', answer(colour, ['Red']))).toEqual({ keys: UP })
    expect(step('question-plain-text', answer(colour, [], 'purple please'))).toEqual({ keys: 'purple please' })
    expect(step('question-plain-typed', answer(colour, [], 'purple please'))).toEqual({ keys: '\r', isLast: true })
  })

  it('ticks what is wanted and unticks what is not, then goes on', () => {
    expect(step('question-multi', answer(parts, ['Store']))).toEqual({ keys: '\r' })
    expect(step('question-multi', answer(parts, ['Server']))).toEqual({ keys: DOWN })
    expect(step('question-multi-two', answer(parts, ['Server']))).toEqual({ keys: DOWN })
    expect(step('question-multi-two', answer(parts, ['Page']))).toEqual({ keys: DOWN })
    expect(step('question-review', answer(parts, ['Server']))).toEqual({ keys: '1', isLast: true })
    expect(step('question-review', answer(parts, ['Store']))).toHaveProperty('cannot')
  })

  it('I2 submits answers only where each is shown as it was given, the whole of it', () => {
    const yes = { ...parts, options: [{ label: 'Yes' }, { label: 'Yes, and the backups' }] }
    const review = (...rows: string[]) => {
      const screen = recordedScreen('question-review').flatMap((line) => (line === '   → Server' ? rows : [line]))
      const dialog = readDialog(screen)
      if (!dialog) throw new Error('no dialog')
      return (goal: DialogGoal) => nextStep(dialog, goal)
    }
    const submit = { keys: '1', isLast: true }
    expect(review('   → Yes')(answer(yes, ['Yes']))).toEqual(submit)
    expect(review('   → Yes, and the backups')(answer(yes, ['Yes']))).toHaveProperty('cannot')
    expect(review('   → Yes')(answer(yes, ['Yes, and the backups']))).toHaveProperty('cannot')
    // A long one goes on below.
    const long = review('   → Yes, and', '     the backups')
    expect(long(answer(yes, ['Yes, and the backups']))).toEqual(submit)
    expect(long(answer(yes, ['Yes, and']))).toHaveProperty('cannot')
    const several = review('   → Store, Page, my own words')
    expect(several(answer(parts, ['Store', 'Page'], 'my own words'))).toEqual(submit)
    expect(several(answer(parts, ['Store', 'Page']))).toHaveProperty('cannot')
    const quoted = review('   → Store, "my own words, which', '   go on"')
    expect(quoted(answer(parts, ['Store'], 'my own words, which go on'))).toEqual(submit)
    expect(quoted(answer(parts, ['Store'], 'my own words, which'))).toHaveProperty('cannot')
    // An answer that a question draws itself is one too many.
    expect(review('   → Yes', '   → Yes, and the backups')(answer(yes, ['Yes']))).toHaveProperty('cannot')
  })

  it('lets a plan go on in the mode that was chosen, and sends it back with words', () => {
    expect(step('plan', { kind: 'allow' })).toEqual({ keys: '2', isLast: true })
    expect(step('plan', { kind: 'allow', mode: 'auto' })).toEqual({ keys: '1', isLast: true })
    expect(step('plan', { kind: 'allow', mode: 'bypassPermissions' })).toHaveProperty('cannot')
    expect(step('plan', { kind: 'deny', message: 'another way' })).toEqual({ keys: DOWN })
  })

  it('never answers one kind of dialog with another kind of answer', () => {
    expect(step('question-plain', { kind: 'allow' })).toHaveProperty('cannot')
    expect(step('bash', answer(colour, ['Red']))).toHaveProperty('cannot')
    expect(step('question-multi', answer(colour, ['Red']))).toHaveProperty('cannot')
  })
})

describe('goalOf', () => {
  const ask = { kind: 'approval' as const }
  const at = 0

  it('types words without what would be a command', () => {
    const message = ' stop\r\n\x1b[A\x03 it\t now '
    expect(goalOf(ask, { kind: 'denied', at, via: 'web', answer: { kind: 'deny', message } })).toEqual({
      kind: 'deny',
      message: 'stop [A it now',
    })
  })

  it('stops with a plain no, and does nothing where nothing was decided', () => {
    const stop = { kind: 'deny', message: 'enough', interrupt: true }
    expect(goalOf(ask, { kind: 'denied', at, via: 'web', answer: stop })).toEqual({ kind: 'deny' })
    expect(goalOf(ask, { kind: 'withdrawn', at, via: 'gateway' })).toBeUndefined()
    expect(goalOf(ask, { kind: 'expired', at, via: 'gateway' })).toBeUndefined()
    expect(goalOf({ kind: 'question' }, { kind: 'expired', at, via: 'gateway' })).toBeUndefined()
  })
})

describe('untypeable', () => {
  it('refuses beforehand what no key can say', () => {
    const ask = { kind: 'approval' as const }
    expect(untypeable(ask, { kind: 'allow' })).toBeUndefined()
    expect(untypeable(ask, { kind: 'allow', updatedInput: {} })).toContain('yes or no')
    expect(untypeable({ kind: 'plan' }, { kind: 'allow', plan: 'mine' })).toContain('as it is')
    const withPreview = { ...colour, options: [{ label: 'Red', preview: 'red' }] }
    const own = { kind: 'answer' as const, answers: [{ question: 0, selected: [], other: 'blue' }] }
    expect(untypeable({ kind: 'question', questions: [withPreview] }, own)).toContain('previews')
    expect(untypeable({ kind: 'question', questions: [colour] }, own)).toBeUndefined()
    expect(untypeable({ kind: 'question', questions: [colour, colour] }, own)).toContain('Answer all of them')
  })
})
