import { callOf } from '@holdpoint/client/endpoint-call'
import type { Ask } from '@holdpoint/schema/ask'
import { sampleAsk } from '@holdpoint/testing/store-contract/store-samples'
import { expect, it } from 'vitest'
import type { Api } from './api.ts'
import { findAsk } from './ask-lookup.ts'

it('F58 finds a settled ask behind large ones, of which a page has few', async () => {
  const asks = [1, 2, 3].map((n) => sampleAsk(n))
  const paths: string[] = []
  const reply = (path: string): unknown => {
    paths.push(path)
    const { pathname, searchParams } = new URL(path, 'http://127.0.0.1')
    if (pathname !== '/api/asks') return asks.find(({ id }) => pathname.endsWith(id))
    if (searchParams.get('status') !== 'settled') return { asks: [] }
    const place = asks.findIndex(({ id }) => id === searchParams.get('next')) + 1
    const ask = asks[place] as Ask
    return { asks: [ask], ...(place < 2 && { next: ask.id }) }
  }
  const call = async (...[place, given]: Parameters<typeof callOf>) => reply(callOf(place, given).path)
  const wanted = asks[2] as Ask
  expect(await findAsk({ call } as unknown as Api, wanted.id)).toBe(wanted)
  expect(paths.filter((path) => path.includes('settled'))).toHaveLength(3)
})
