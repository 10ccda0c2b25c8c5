import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'

interface Operation {
  summary: string
  security: object[]
  parameters: { name: string; in: string; required: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
}
interface Description {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: Record<string, object> }
}

it('describes every route as OpenAPI 3.1', async () => {
  await using test = await startTestGateway()
  const description = await test.api.ok<Description>('GET', '/api/openapi.json')
  expect(description.openapi).toMatch(/^3\.1\./)
  expect(description.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })

  const described = Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const routes = test.gateway.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect(described.sort()).toEqual(routes.sort())

  for (const [path, operations] of Object.entries(description.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    for (const [method, operation] of Object.entries(operations)) {
      const where = `${method} ${path}`
      const route = test.gateway.routes.find(
        (entry) => entry.method.toLowerCase() === method && entry.path.replace(/:(\w+)/g, '{$1}') === path,
      )
      expect(operation.summary, where).toBeTruthy()
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect(
        inPath.map(({ name }) => name),
        where,
      ).toEqual(names)
      expect(
        inPath.every(({ required }) => required),
        where,
      ).toBe(true)
      expect(operation.security.length > 0, where).toBe(route?.action !== 'public')
      for (const entry of operation.security)
        for (const scheme of Object.keys(entry)) expect(description.components.securitySchemes).toHaveProperty(scheme)
      expect(operation.requestBody !== undefined, where).toBe(route?.body !== undefined || route?.raw !== undefined)
      const statuses = Object.keys(operation.responses)
      expect(statuses, where).toContain('default')
      expect(
        statuses.some((status) => /^2\d\d$/.test(status)),
        where,
      ).toBe(true)
      for (const response of Object.values(operation.responses)) expect(response.description, where).toBeTruthy()
    }
  }
  const takesKey = (path: string) =>
    description.paths[path]?.post?.parameters.some(
      ({ name, in: where }) => name === 'Idempotency-Key' && where === 'header',
    )
  for (const path of ['/api/sessions', '/api/sessions/{id}/messages', '/api/asks/{id}/answer', '/api/asks/answer'])
    expect(takesKey(path), path).toBe(true)
  expect(takesKey('/api/login')).toBe(false)
  expect(
    description.paths['/api/asks/{id}/answer']?.post?.requestBody?.content['application/json']?.schema,
  ).toMatchObject({
    oneOf: expect.arrayContaining([
      expect.objectContaining({ properties: expect.objectContaining({ kind: { type: 'string', const: 'allow' } }) }),
    ]),
  })
})
