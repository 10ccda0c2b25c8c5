import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { judge } from './watch.ts'

const session = { gate: 'default' } as unknown as Session
const answered: Outcome = { kind: 'answered', at: 1, via: 'web', answer: { kind: 'submit', content: { file: 'a' } } }
const ask = (kind: Ask['kind']) =>
  ({ id: 'ask_1', kind, tool: { name: 'pick', input: { folder: '.' } } }) as unknown as Ask
const ran = (input: unknown) => ({ toolUseId: 't', name: 'pick', input })

describe('I6 what ran after an answer', () => {
  const driver = { watchedInput: () => ({ folder: '.', path: './a' }) }
  const record = { ask: ask('form'), outcome: answered }

  it('is what the driver made of the answer', () => {
    expect(judge(session, record, ran({ path: './a', folder: '.' }), driver)).toBeUndefined()
  })

  it('raises the alarm when it is anything else', () => {
    for (const input of [{ folder: '.' }, { folder: '.', path: './b' }, { folder: '.', path: './a', more: 1 }]) {
      expect(judge(session, record, ran(input), driver)).toMatchObject({
        code: 'ran-changed',
        allowed: { folder: '.', path: './a' },
        ran: input,
      })
    }
  })

  it('raises the alarm where nothing was handed over', () => {
    expect(judge(session, record, ran({ folder: '.' }), { watchedInput: () => null })).toMatchObject({
      code: 'ran-changed',
    })
  })

  it('is not compared where the driver knows of nothing that runs with it', () => {
    expect(judge(session, record, ran({ anything: 1 }), { watchedInput: () => undefined })).toBeUndefined()
    expect(judge(session, record, ran({ anything: 1 }), {})).toBeUndefined()
  })

  it('is the input itself for an approval, whatever the driver says', () => {
    const approval = { ask: ask('approval'), outcome: { ...answered, kind: 'allowed' as const, answer: {} } }
    expect(judge(session, approval, ran({ folder: '.' }), driver)).toBeUndefined()
    expect(judge(session, approval, ran({ folder: '.', path: './a' }), driver)).toMatchObject({ code: 'ran-changed' })
  })
})
