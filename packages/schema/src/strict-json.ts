import type { JsonValue } from './json.ts'

/** Why a client's text is not taken as JSON. `where` is an offset into the text. */
export interface JsonRefusal {
  readonly reason: 'malformed' | 'too-deep' | 'duplicate-key' | 'forbidden-key' | 'lone-surrogate' | 'inexact-number'
  readonly where?: number
}

export type StrictJson = { ok: true; value: JsonValue } | { ok: false; refusal: JsonRefusal }

/** Setting one of these on a plain object can reach `Object.prototype`. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])
const MAX_DEPTH = 64

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
  return scan(text) ?? (isWellFormed(value) ? { ok: true, value } : refuse('lone-surrogate'))
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
        if (FORBIDDEN.has(key)) return refuse('forbidden-key', i)
        if (seen?.has(key)) return refuse('duplicate-key', i)
        seen?.add(key)
        expectsKey = false
      }
      i = end - 1
    } else if (char === 0x7b || char === 0x5b) {
      const isObject = char === 0x7b
      keys.push(isObject ? new Set() : undefined)
      if (keys.length > MAX_DEPTH) return refuse('too-deep', i)
      expectsKey = isObject
    } else if (char === 0x7d || char === 0x5d) {
      keys.pop()
      expectsKey = false
    } else if (char === 0x2c) {
      expectsKey = keys[keys.length - 1] !== undefined
    } else if (char === 0x2d || (char >= 0x30 && char <= 0x39)) {
      const end = numberEnd(text, i)
      if (!isExact(text.slice(i, end))) return refuse('inexact-number', i)
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

/** `1e999` would be kept as null and a long integer with its last digits changed: not what the sender wrote (I6). */
function isExact(literal: string): boolean {
  const value = Number(literal)
  return /^-?\d+$/.test(literal) ? Number.isSafeInteger(value) : Number.isFinite(value)
}

function isWellFormed(value: JsonValue): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value)
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  return Object.entries(value).every(([key, field]) => isWellFormed(key) && isWellFormed(field))
}
