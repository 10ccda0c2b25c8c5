import { ERROR_CODES, ERROR_REASONS } from '@holdpoint/schema/error-code'
import { z } from 'zod'
import type { Route } from './route.ts'

/** OpenAPI 3.1 from the same schemas that validate. */
export function describeApi(routes: readonly Route[], version: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = describeRoute(route)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Holdpoint', version, description: 'The one place where coding agents wait for a person.' },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        page: { type: 'apiKey', in: 'header', name: 'X-Holdpoint-Secret' },
      },
    },
  }
}

const REFUSAL = z.object({
  error: z.looseObject({
    code: z.enum(ERROR_CODES),
    message: z.string(),
    reason: z.enum(Object.values(ERROR_REASONS).flat()).optional(),
  }),
})

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Chosen by the caller, new for every new call. A call that is repeated with the same key (because the reply was lost) takes effect once and gets the first reply again. A different body under the same key is refused (retry_mismatch).',
  schema: { type: 'string' },
}

function describeRoute(route: Route) {
  const inPath = [...route.path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const content = route.raw
    ? Object.fromEntries(route.raw.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))
    : route.body && { 'application/json': { schema: jsonSchema(route.body, 'input') } }
  return {
    summary: route.summary,
    ...(route.action === 'public'
      ? { security: [] }
      : { security: [{ bearer: [] }, { page: [] }], 'x-action': route.action }),
    parameters: [...inPath, ...queryParameters(route), ...(route.idempotent ? [IDEMPOTENCY_KEY] : [])],
    ...(content && { requestBody: { required: true, content } }),
    responses: {
      ...Object.fromEntries(Object.entries(route.replies).map(([status, reply]) => [status, describeReply(reply)])),
      default: route.words
        ? { description: "A refusal, in the dialect's own words" }
        : {
            description: 'A refusal',
            content: { 'application/json': { schema: jsonSchema(REFUSAL, 'output') } },
          },
    },
  }
}

function describeReply(reply: z.ZodType | string) {
  if (typeof reply === 'string') return { description: reply }
  return { description: 'Done', content: { 'application/json': { schema: jsonSchema(reply, 'output') } } }
}

function queryParameters(route: Route) {
  if (!route.query) return []
  const schema = jsonSchema(route.query, 'input') as { properties?: Record<string, unknown>; required?: string[] }
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    schema: property,
  }))
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
