import { expect, it } from 'vitest'
import { type StartParts, whatIsMissing } from './what-is-missing.ts'

const READY: StartParts = {
  whyNotThere: undefined,
  agent: 'claude',
  folder: { state: 'found', path: '/code', trusted: true },
  prompt: 'Hello',
  budgetIsWrong: false,
  filesAreOnTheirWay: false,
}
const missing = (parts: Partial<StartParts>) => whatIsMissing({ ...READY, ...parts })?.words

it('names what keeps a session from being started, from the top of the page', () => {
  expect(missing({})).toBeUndefined()
  expect(missing({ whyNotThere: 'is not reachable', folder: { state: 'empty' } })).toBe(
    'Choose another machine: this one is not reachable.',
  )
  expect(missing({ agent: undefined })).toBe('No agents can be started on this machine.')
  expect(missing({ folder: { state: 'empty' }, prompt: '' })).toBe('Choose a folder.')
  expect(missing({ folder: { state: 'missing' } })).toBe('Choose a folder that exists.')
  expect(missing({ folder: { state: 'checking' } })).toBe('The folder is being checked.')
  expect(missing({ folder: { state: 'failed', message: 'no' } })).toBe('The folder could not be checked.')
  expect(missing({ prompt: ' \n' })).toBe('Write the first message.')
  expect(missing({ budgetIsWrong: true })).toBe('Type a budget such as 5, or none.')
  expect(missing({ filesAreOnTheirWay: true })).toBe('A file is still being uploaded.')
})

it('needs no folder for an agent that brings its own', () => {
  expect(missing({ folder: undefined })).toBeUndefined()
})
