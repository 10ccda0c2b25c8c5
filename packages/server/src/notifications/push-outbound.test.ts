import { expect, it } from 'vitest'
import { createOutbound } from './outbound.ts'
import { createPushOutbound } from './push-outbound.ts'

const LISTED = ['http://10.0.0.5:8080/a', 'http://push.home:8080/b', 'https://10.0.0.5/c']

it('T51 lets only who may manage notifications name a place that is listed', async () => {
  const outbound = createPushOutbound(createOutbound({ allowed: ['10.0.0.5:8080', 'push.home:8080', '10.0.0.5:443'] }))
  for (const url of LISTED) {
    expect([outbound(true).refuses(url), outbound(false).refuses(url)]).toEqual([undefined, expect.any(String)])
    const signal = new AbortController().signal
    expect(await outbound(false).post({ url, headers: {}, body: '', signal })).toMatchObject({ how: 'refused' })
  }
  expect(outbound(false).refuses('https://push.example/d')).toBeUndefined()
})
