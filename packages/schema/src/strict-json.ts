import type { ErrorReason } from './error-code.ts'
import type { JsonValue } from './json.ts'

/** Why a client's text is refused as JSON. `where` is an offset into the text. */
export interface JsonRefusal {
  readonly reason: ErrorReason<'malformed_json'>
  readonly where?: number
}

export type StrictJson = { ok: true; value: JsonValue } | { ok: false; refusal: JsonRefusal }

/** Setting one of these on a plain object can reach `Object.prototype`. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])
const MAX_DEPTH = 64
/** As many as a number can be written with. */
const MAX_DIGITS = 100

/**
 * JSON as clients may send it. `JSON.parse` keeps the last of two equal keys and lets `__proto__` and broken UTF-16
 * through: a reader before us and we ourselves could then see two different answers in one body.
 */
export function parseStrictJson(text: string): StrictJson {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    return refuse('malformed')
  }
  return scan(text) ?? (isWellFormed(value) ? { ok: true, value } : refuse('lone_surrogate'))
}

function refuse(reason: JsonRefusal['reason'], where?: number): StrictJson {
  return { ok: false, refusal: where === undefined ? { reason } : { reason, where } }
}

/** Walks text that is known to be JSON: object keys, nesting, numbers, nothing else. */
function scan(text: string): StrictJson | undefined {
  const keys: (Set<string> | undefined)[] = []
  let expectsKey = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 0x22) {
      const end = stringEnd(text, i)
      if (expectsKey) {
        const key = JSON.parse(text.slice(i, end)) as string
        const seen = keys[keys.length - 1]
        if (FORBIDDEN.has(key)) return refuse('forbidden_key', i)
        if (seen?.has(key)) return refuse('duplicate_key', i)
        seen?.add(key)
        expectsKey = false
      }
      i = end - 1
    } else if (char === 0x7b || char === 0x5b) {
      const isObject = char === 0x7b
      keys.push(isObject ? new Set() : undefined)
      if (keys.length > MAX_DEPTH) return refuse('too_deep', i)
      expectsKey = isObject
    } else if (char === 0x7d || char === 0x5d) {
      keys.pop()
      expectsKey = false
    } else if (char === 0x2c) {
      expectsKey = keys[keys.length - 1] !== undefined
    } else if (char === 0x2d || (char >= 0x30 && char <= 0x39)) {
      const end = numberEnd(text, i)
      if (!isExact(text.slice(i, end))) return refuse('inexact_number', i)
      i = end - 1
    }
  }
  return undefined
}

function stringEnd(text: string, start: number): number {
  let i = start + 1
  while (text.charCodeAt(i) !== 0x22) i += text.charCodeAt(i) === 0x5c ? 2 : 1
  return i + 1
}

function numberEnd(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && /[\d.eE+-]/.test(text.charAt(i))) i++
  return i
}

/**
 * `1e999` would be kept as null, `1e-400` as 0 and a number of many digits with its last ones changed: not what the sender
 * wrote (I6). One that is kept is the same when it is written with as many digits again.
 */
function isExact(literal: string): boolean {
  const value = Number(literal)
  if (/^-?\d+$/.test(literal)) return Number.isSafeInteger(value)
  const digits = digitsOf(literal)
  if (!Number.isFinite(value) || digits.length > MAX_DIGITS) return false
  return digitsOf(value.toPrecision(Math.max(1, digits.length))) === digits
}

/** Those that count, from the first to the last that is not 0. */
function digitsOf(literal: string): string {
  const [mantissa = ''] = literal.split(/[eE]/)
  return mantissa.replace(/[-.]/g, '').replace(/^0+|0+$/g, '')
}

function isWellFormed(value: JsonValue): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value)
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  return Object.entries(value).every(([key, field]) => isWellFormed(key) && isWellFormed(field))
}
