import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ERROR_CODES } from '@holdpoint/schema/error-code'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'
import { refusal, STATUS } from './errors.ts'

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
