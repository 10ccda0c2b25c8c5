import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { StoreFault } from '@holdpoint/core/store'
import { ERROR_CODES } from '@holdpoint/schema/error-code'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'
import { refusal, STATUS, storeRefusal } from './errors.ts'

const server = fileURLToPath(new URL('..', import.meta.url))

it('has a status and a sentence for every declared code, and no other code', () => {
  expect(Object.keys(STATUS).sort()).toEqual([...ERROR_CODES].sort())
  for (const code of ERROR_CODES) {
    const { status, body } = refusal(code)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(body.error.code).toBe(code)
    expect(body.error.message).toMatch(/^[A-Z].*\.$/)
  }
})

it('says what is wrong with the record, and a full disk only where it is full', () => {
  const words = (code: 'full' | 'busy' | 'io') => storeRefusal(new StoreFault(code, 'a')).body.error.message
  expect(words('full')).toMatch(/^The disk of the record is full\. This was not recorded\./)
  expect(words('busy')).toMatch(/^The record is too busy at the moment\. This was not recorded\./)
  expect(words('io')).toMatch(/its disk or its database does not work\. This was not recorded\./)
})

it('writes errors of the native API in one place, where only declared codes fit', () => {
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' })
  const native = files.filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith('dialects'))
  expect(native.length).toBeGreaterThan(50)
  const writers = native.filter((path) => /\berror: ?\{/.test(readFileSync(`${server}/${path}`, 'utf8')))
  expect(writers).toEqual(['transport/errors.ts'])
})

it('describes the codes in the OpenAPI page', async () => {
  await using test = await startTestGateway()
  const { paths } = await test.api.ok<{ paths: Record<string, { get: { responses: { default: object } } }> }>(
    'GET',
    '/api/openapi.json',
  )
  expect(paths['/api/asks']?.get.responses.default).toMatchObject({
    content: {
      'application/json': {
        schema: { properties: { error: { properties: { code: { enum: [...ERROR_CODES] } } } } },
      },
    },
  })
})
