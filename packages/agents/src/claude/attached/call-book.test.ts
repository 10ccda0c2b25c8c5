import { expect, it } from 'vitest'
import { createCallBook } from './call-book.ts'

const call = (toolUseId: string, command: string, agentId?: string) => ({
  toolUseId,
  name: 'Bash',
  input: { command },
  agentId,
})
const wanted = (requestId: string, command: string, agentId?: string) => ({
  requestId,
  name: 'Bash',
  input: { command },
  agentId,
})

it('finds the call with the same input, and gives it to one request only', () => {
  const book = createCallBook('/here')
  book.opened(call('a', 'ls'))
  book.opened(call('b', 'rm x'))
  expect(book.claim(wanted('first', 'rm x'))).toBe('b')
  expect(book.claim(wanted('first', 'rm x'))).toBe('b')
  expect(book.requestOf('b')).toBe('first')
  expect(book.claim(wanted('second', 'ls'))).toBe('a')
  expect(book.claim(wanted('third', 'ls'))).toBeUndefined()
})

it('gives equal calls out in their order', () => {
  const book = createCallBook('/here')
  book.opened(call('a', 'ls'))
  book.opened(call('b', 'ls'))
  expect([book.claim(wanted('one', 'ls')), book.claim(wanted('two', 'ls'))]).toEqual(['a', 'b'])
})

it('takes the only one of that name where the input was changed beyond recognition, and guesses among none', () => {
  const book = createCallBook('/here')
  book.opened({ toolUseId: 'plan', name: 'ExitPlanMode', input: {} })
  expect(book.claim({ requestId: 'p', name: 'ExitPlanMode', input: { plan: '# x' } })).toBe('plan')
  book.opened(call('a', 'one'))
  expect(book.claim(wanted('q', 'changed'), { mayGuess: true })).toBe('a')
  book.opened(call('b', 'two'))
  book.opened(call('c', 'three'))
  expect(book.claim(wanted('r', 'four'), { mayGuess: true })).toBeUndefined()
})

it('does not take a call that is under way for one that may not have been written down yet', () => {
  const book = createCallBook('/here')
  book.opened(call('runs', 'ls'))
  expect(book.claim(wanted('r', 'rm x'))).toBeUndefined()
  book.opened(call('asked', 'rm x'))
  expect(book.claim(wanted('r', 'rm x'), { mayGuess: true })).toBe('asked')
})

it('keeps subagents apart', () => {
  const book = createCallBook('/here')
  book.opened(call('main', 'ls'))
  book.opened(call('sub', 'ls', 'agent-1'))
  expect(book.claim(wanted('r', 'ls', 'agent-1'))).toBe('sub')
  expect(book.claim(wanted('s', 'ls', 'agent-2'))).toBeUndefined()
})

it('does not offer what has its result', () => {
  const book = createCallBook('/here')
  book.opened(call('a', 'ls'))
  book.closed('a')
  expect(book.claim(wanted('r', 'ls'))).toBeUndefined()
})

it('[I10] forgets the oldest of too many', () => {
  const book = createCallBook('/here')
  for (let index = 0; index <= 500; index++) book.opened(call(`c${index}`, `run ${index}`))
  expect(book.claim(wanted('old', 'run 0'))).toBeUndefined()
  expect(book.claim(wanted('new', 'run 500'))).toBe('c500')
})
