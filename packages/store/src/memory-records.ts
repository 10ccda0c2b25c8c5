import type { Records } from '@holdpoint/core/store'

export function createMemoryRecords(assertOpen: () => void): Records {
  const collections = new Map<string, Map<string, string>>()
  return {
    async get(collection, key) {
      assertOpen()
      const text = collections.get(collection)?.get(key)
      return text === undefined ? undefined : JSON.parse(text)
    },
    async list(collection) {
      assertOpen()
      return Array.from(collections.get(collection) ?? [], ([key, text]) => ({ key, value: JSON.parse(text) }))
    },
    async collections() {
      assertOpen()
      return [...collections].filter(([, records]) => records.size > 0).map(([collection]) => collection)
    },
    async put(collection, key, value) {
      assertOpen()
      const text = jsonOf(value)
      const records = collections.get(collection) ?? new Map<string, string>()
      records.set(key, text)
      collections.set(collection, records)
    },
    async replace(collection, key, value, before) {
      assertOpen()
      const text = jsonOf(value)
      const records = collections.get(collection)
      if (records?.get(key) !== jsonOf(before)) return false
      records?.set(key, text)
      return true
    },
    async remove(collection, key) {
      assertOpen()
      return collections.get(collection)?.delete(key) ?? false
    },
  }
}

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError('a record needs a JSON value')
  return text
}
