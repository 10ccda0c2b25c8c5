import type { z } from 'zod'

/** One call of the HTTP API. The server's route, the client's call and the OpenAPI page are made from this value. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Segments that start with a colon are parameters. */
  readonly path: string
  readonly summary: string
  readonly query?: z.ZodType
  /** Sent as JSON. */
  readonly body?: z.ZodType
  /** Takes the bytes as they are, with one of these content types, instead of JSON. */
  readonly raw?: readonly string[]
  /** Takes an `Idempotency-Key`: the same call under the same key is done once. */
  readonly idempotent?: true
  /** Takes a ticket in its address: for a browser's EventSource, which sends no header. */
  readonly ticketed?: true
  /** What a success looks like, by status: JSON, or a description of what is not JSON. */
  readonly replies: Readonly<Record<number, z.ZodType | string>>
}

/** An endpoint for every path of a group, and no other. */
export type EndpointsOf<Paths> = { readonly [Name in keyof Paths]: Endpoint & Paths[Name] }

/** The query or body as the server gets it, defaults filled in. */
export type ParsedPart<Contract extends Endpoint, Part extends 'query' | 'body'> =
  Contract extends Readonly<Record<Part, z.ZodType<infer Output>>> ? Output : undefined
