import { expect, it } from 'vitest'
import { bash, SESSION } from '../gallery/sample-asks.ts'
import { notificationWords } from './notification-words.ts'

it('T44 names the tool and the session in a notification, and no secret', () => {
  const secret = `ghp_${'aB3dE5fG7h'.repeat(4)}`
  const { title, body } = notificationWords(bash('ls'), { ...SESSION, title: `Use ${secret}` })
  expect(`${title} ${body}`).not.toContain(secret)
  expect(body).toContain('Use [redacted]')
})
