import { expect, it } from 'vitest'
import { refusedOf } from './calls.ts'

it.each(['already_settled', 'already-settled', 'alreadySettled'])('reads the code %s of a gateway', (code) => {
  const body = { error: { code, message: 'Too late.' } }
  expect(refusedOf({ status: 409, body })).toMatchObject({ code: 'already_settled', message: 'Too late.' })
  expect(refusedOf({ status: 409, body: { error: 'Too late.', code } })).toMatchObject({ code: 'already_settled' })
})
