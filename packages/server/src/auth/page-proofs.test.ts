import { createCipheriv, createECDH, createHmac } from 'node:crypto'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { expect, it } from 'vitest'
import { createPageProofs } from './page-proofs.ts'

const ONE = 'dev_01m7feqrab8kg79ph3fsjdh813'
const OTHER = 'dev_01m7feqrab8kg79ph3fsjdh814'
const asked = { device: ONE, nonce: 'n'.repeat(43), origin: 'http://127.0.0.1:4680' } as const

it('T64 proves itself by the key that the login was given, after a restart too, for one address and question each', async () => {
  const { records } = createMemoryStore()
  const before = createPageProofs(records)
  const key = Buffer.from(await before.keyFor(ONE), 'base64url')
  const due = (said: { key: string }) =>
    createHmac('sha256', key).update(`holdpoint ${asked.origin} ${asked.nonce} ${said.key}`).digest('base64url')
  const said = await before.prove(asked)
  expect(said.proof).toBe(due(said))
  const after = createPageProofs(records)
  const again = await after.prove(asked)
  expect(again.proof).toBe(due(again))
  expect(again.key).not.toBe(said.key)
  const others = [
    after.prove({ ...asked, origin: 'http://127.0.0.1:4681' }),
    after.prove({ ...asked, nonce: 'm'.repeat(43) }),
    after.prove({ ...asked, device: OTHER }),
    createPageProofs(createMemoryStore().records).prove(asked),
  ]
  expect(new Set([again, ...(await Promise.all(others))].map(({ proof }) => proof)).size).toBe(5)
})

it('T64 opens what was sealed for this process and address, and nothing else', async () => {
  const { records } = createMemoryStore()
  const proofs = createPageProofs(records)
  const { key } = await proofs.prove(asked)
  const { origin } = asked
  const page = createECDH('prime256v1')
  const own = page.generateKeys().toString('base64url')
  const cipher = createCipheriv('aes-256-gcm', page.computeSecret(key, 'base64url'), Buffer.alloc(12))
  cipher.setAAD(Buffer.from(origin))
  const text = Buffer.concat([cipher.update('the secret'), cipher.final()])
  const sealed = Buffer.concat([text, cipher.getAuthTag()]).toString('base64url')
  expect(proofs.open({ key: own, sealed, origin })).toBe('the secret')
  const wrong = [
    { key: own, sealed, origin: 'http://127.0.0.1:4681' },
    { key: own, sealed: `${sealed.slice(0, -2)}AA`, origin },
    { key: own, sealed: 'x', origin },
    { key, sealed, origin },
    { key: 'A'.repeat(87), sealed, origin },
  ]
  for (const given of wrong) expect(proofs.open(given)).toBeUndefined()
  expect(createPageProofs(records).open({ key: own, sealed, origin })).toBeUndefined()
})

it('T64 takes a pass for as long as the process lives that gave it, and no other text', () => {
  const { records } = createMemoryStore()
  const proofs = createPageProofs(records)
  const pass = proofs.passFor(ONE)
  expect(proofs.holderOf(pass)).toBe(ONE)
  const [device = '', mac = ''] = pass.split('.')
  const wrong = ['', '.', device, `${device}.`, mac, `${OTHER}.${mac}`, `${pass}.`, `${pass}x`, pass.slice(0, -1), ONE]
  for (const text of wrong) expect(proofs.holderOf(text), text).toBeUndefined()
  expect(createPageProofs(records).holderOf(pass)).toBeUndefined()
})

it('makes its key once, whoever asks first, and tries again where the store could not keep it', async () => {
  const { records } = createMemoryStore()
  let fails = true
  const proofs = createPageProofs({
    ...records,
    async put(collection, key, value) {
      if (fails) throw new Error('full')
      await records.put(collection, key, value)
    },
  })
  await expect(proofs.keyFor(ONE)).rejects.toThrow('full')
  fails = false
  const [one, same] = await Promise.all([proofs.keyFor(ONE), proofs.keyFor(ONE)])
  expect(same).toBe(one)
  expect(await createPageProofs(records).keyFor(ONE)).toBe(one)
})

it('T64 makes one key, also where two gateways on one log need it for the first time at once', async () => {
  const { records } = createMemoryStore()
  const [a, b] = [createPageProofs(records), createPageProofs(records)]
  const [ofA, ofB] = await Promise.all([a.keyFor(ONE), b.keyFor(ONE)])
  expect(ofB).toBe(ofA)
  expect(await createPageProofs(records).keyFor(ONE)).toBe(ofA)
})
