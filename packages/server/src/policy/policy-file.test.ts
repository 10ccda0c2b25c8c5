import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { openTestStore } from '@holdpoint/testing/test-store'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { followRecords } from '../cluster/followed-records.ts'
import { createOtherPolicyFiles } from './other-policy-files.ts'
import { createPolicyFile } from './policy-file.ts'

const LS = { effect: 'allow', pattern: 'Bash(ls *)' }
const CAT = { effect: 'allow', pattern: 'Bash(cat *)' }
const RM = { effect: 'ask', pattern: 'Bash(rm *)' }
const SUDO = { effect: 'deny', pattern: 'Bash(sudo *)' }

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hp-policy-'))
  path = join(folder, 'policy.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (...rules: readonly object[]) => writeFileSync(path, JSON.stringify({ rules }), { mode: 0o600 })

async function setUp() {
  const store = await openTestStore()
  const warn = vi.fn()
  const open = (more: { isNamed?: boolean; isOlder?: boolean } = {}) =>
    createPolicyFile({
      path,
      isNamed: false,
      isOlder: false,
      records: store.records,
      log: { info: () => {}, warn },
      ...more,
    })
  return { store, warn, open }
}

type Opened = Awaited<ReturnType<Awaited<ReturnType<typeof setUp>>['open']>>

async function inForce(file: Opened): Promise<string[]> {
  await file.refresh()
  return file.list().map(({ effect, pattern }) => `${effect} ${pattern}`)
}

async function confirmed(file: Opened) {
  await file.refresh()
  expect(await file.confirm(file.state().waiting?.digest ?? '')).toBe(true)
}

describe('the owner’s policy file', () => {
  it('need not be there, unless somebody has named it', async () => {
    const { open } = await setUp()
    expect((await open()).state()).toEqual({ path, rules: [] })
    expect((await open({ isNamed: true })).state()).toMatchObject({ error: 'There is no such file.' })
  })

  it('T71 asks and denies at once, and allows after an owner has confirmed what was shown', async () => {
    const { open } = await setUp()
    write(LS, RM)
    const file = await open()
    expect(await inForce(file)).toEqual(['ask Bash(rm *)'])
    expect(file.state().waiting).toMatchObject({ added: [LS], removed: [] })
    expect(await file.confirm('something else')).toBe(false)
    await confirmed(file)
    expect(await inForce(file)).toEqual(['allow Bash(ls *)', 'ask Bash(rm *)'])
    expect(file.state().waiting).toBeUndefined()
    expect(await inForce(await open())).toEqual(['allow Bash(ls *)', 'ask Bash(rm *)'])
  })

  it('tells of each change once, and of nothing else', async () => {
    const { open } = await setUp()
    const file = await open()
    const changed = vi.fn()
    file.subscribe(changed)
    await file.refresh()
    expect(changed).toHaveBeenCalledTimes(0)
    write(LS)
    await Promise.all([file.refresh(), file.refresh()])
    expect(changed).toHaveBeenCalledTimes(1)
    await confirmed(file)
    expect(changed).toHaveBeenCalledTimes(2)
    writeFileSync(path, '{')
    await file.refresh()
    await file.refresh()
    expect(changed).toHaveBeenCalledTimes(3)
  })

  it('T71 goes on to ask and deny after the rule is gone from the file, until an owner has confirmed that', async () => {
    const { open } = await setUp()
    write(RM, SUDO)
    const file = await open()
    write(SUDO)
    expect(await inForce(file)).toEqual(['deny Bash(sudo *)', 'ask Bash(rm *)'])
    rmSync(path)
    expect((await inForce(file)).sort()).toEqual(['ask Bash(rm *)', 'deny Bash(sudo *)'])
    expect((await inForce(await open())).sort()).toEqual(['ask Bash(rm *)', 'deny Bash(sudo *)'])
    await confirmed(file)
    expect(await inForce(file)).toEqual([])
  })

  it('does not allow again what it once has stopped to allow', async () => {
    const { open } = await setUp()
    write(LS)
    const file = await open()
    await confirmed(file)
    write()
    expect(await inForce(file)).toEqual([])
    write(LS)
    expect(await inForce(file)).toEqual([])
    expect(await inForce(await open())).toEqual([])
  })

  it('T33 is not confirmed by who has seen an older one', async () => {
    const { open } = await setUp()
    write(LS)
    const file = await open()
    const seen = file.state().waiting?.digest ?? ''
    write(LS, CAT)
    expect(await file.confirm(seen)).toBe(false)
    expect(await inForce(file)).toEqual([])
  })

  it('holds for the next look after each change, also of the same size within a moment', async () => {
    const { open } = await setUp()
    write({ effect: 'ask', pattern: 'Bash(aa)' })
    const file = await open()
    for (const name of ['ab', 'ac', 'ad']) {
      write({ effect: 'ask', pattern: `Bash(${name})` })
      expect(await inForce(file)).toContain(`ask Bash(${name})`)
    }
  })

  it.each<[string, () => void, string]>([
    ['no JSON', () => writeFileSync(path, '{'), 'not valid JSON in line 1.'],
    ['the same key twice', () => writeFileSync(path, '{"rules":[],"rules":[]}'), 'duplicate key'],
    ['an unknown field', () => writeFileSync(path, '{"rules":[],"allow":["Bash"]}'), 'unknown field allow'],
    ['a rule without an effect', () => write({ pattern: 'Bash(ls)' }), 'rules.0.effect'],
    [
      'a rule that does not parse',
      () => write(SUDO, { ...RM, pattern: 'Bash(rm' }),
      'Rule 2 (ask Bash(rm) in line 1: ',
    ],
    ['a regular expression', () => write({ ...RM, pattern: '/^rm/' }), 'regular expression'],
    ['own tests that fail', () => write({ ...RM, match: ['ls'] }), 'should match "ls"'],
    [
      'too many rules',
      () => write(...Array.from({ length: 10_001 }, (_, n) => ({ ...SUDO, pattern: `Bash(x${n})` }))),
      'more than 10,000 rules',
    ],
    ['too large', () => writeFileSync(path, ' '.repeat(4 * 1024 * 1024 + 1)), 'larger than 4 MiB'],
    ['a folder', () => mkdirSync(path), 'not a regular file'],
    ['a link to itself', () => symlinkSync(path, path), 'leads back to itself'],
    ['a link to nothing', () => symlinkSync(join(folder, 'nothing'), path), 'leads to a file that does not exist'],
    [
      'writable by others',
      () => {
        write()
        chmodSync(path, 0o622)
      },
      'Other users may write to it',
    ],
    [
      'in a folder that others may write to',
      () => {
        write()
        chmodSync(folder, 0o777)
      },
      'Other users may replace it',
    ],
  ])('T71 that is broken keeps the rules in force and says so: %s', async (_, spoil, why) => {
    const { open, warn } = await setUp()
    write(LS, SUDO)
    const file = await open()
    await confirmed(file)
    rmSync(path)
    spoil()
    expect(await inForce(file)).toEqual(['allow Bash(ls *)', 'deny Bash(sudo *)'])
    expect(file.state().error).toContain(why)
    expect(warn).toHaveBeenCalledWith('policy_file_not_used', { path, error: file.state().error })
    expect(await file.confirm(file.state().waiting?.digest ?? '')).toBe(false)
    expect(await inForce(await open())).toEqual(['allow Bash(ls *)', 'deny Bash(sudo *)'])
  })

  it('is named by its link and by where that leads', async () => {
    const real = join(folder, 'real.json')
    writeFileSync(real, '{"rules":[]}', { mode: 0o600 })
    symlinkSync(real, path)
    expect((await (await setUp()).open()).places()).toEqual([path, real])
  })

  it('allows nothing while it is not known what was confirmed', async () => {
    const { store, open } = await setUp()
    write(LS)
    await confirmed(await open())
    await store.records.put('policy-file', 'in-force', { rules: [{ effect: 'forbid' }] })
    const file = await open()
    expect([file.isLost(), file.list()]).toEqual([true, []])
    await confirmed(file)
    expect([file.isLost(), (await open()).isLost()]).toEqual([false, false])
  })

  it('has its allow rules confirmed again when the record is that of a backup', async () => {
    const { open } = await setUp()
    write(LS, SUDO)
    await confirmed(await open())
    const file = await open({ isOlder: true })
    expect(await inForce(file)).toEqual(['deny Bash(sudo *)'])
    expect(await inForce(await open())).toEqual(['deny Bash(sudo *)'])
    await confirmed(file)
    expect(await inForce(await open())).toEqual(['allow Bash(ls *)', 'deny Bash(sudo *)'])
  })

  it('F17 allows nothing of an older record after the next start either, though the file was broken or the disk full', async () => {
    const { store, open } = await setUp()
    write(LS, SUDO)
    await confirmed(await open())
    vi.spyOn(store.records, 'put').mockRejectedValueOnce(new Error('full'))
    await expect(open({ isOlder: true })).rejects.toThrow('full')
    writeFileSync(path, '{', { mode: 0o600 })
    expect(await inForce(await open({ isOlder: true }))).toEqual(['deny Bash(sudo *)'])
    expect(await inForce(await open())).toEqual(['deny Bash(sudo *)'])
    write(LS, SUDO)
    expect(await inForce(await open())).toEqual(['deny Bash(sudo *)'])
  })

  it('is not confirmed unless that is on disk; what is stricter holds all the same', async () => {
    const { store, open, warn } = await setUp()
    const file = await open()
    vi.spyOn(store.records, 'put').mockRejectedValue(new Error('full'))
    write(LS, SUDO)
    expect(await inForce(file)).toEqual(['deny Bash(sudo *)'])
    expect(warn).toHaveBeenCalledWith('policy_file_not_persisted', { error: 'Error: full' })
    await expect(file.confirm(file.state().waiting?.digest ?? '')).rejects.toThrow('full')
    expect(await inForce(file)).toEqual(['deny Bash(sudo *)'])
  })
})

describe('the policy file of a machine that was forgotten while nobody heard of it', () => {
  async function twoMachines() {
    const shared = createMemoryCluster()
    const [onA, onB] = [shared.node('a'), shared.node('b')]
    const recordsOfA = followRecords(onA.store.records, onA.cluster)
    await createPolicyFile({
      path,
      isNamed: false,
      isOlder: false,
      records: recordsOfA,
      log: { info: () => {}, warn: () => {} },
      cluster: onA.cluster,
    })
    const atB = await createOtherPolicyFiles(followRecords(onB.store.records, onB.cluster), onB.cluster)
    return { store: shared.store, node: onA.cluster.node, atB }
  }

  it('T71 denies on all machines once it is back', async () => {
    write(SUDO)
    const { node, atB } = await twoMachines()
    expect(atB.list()).toMatchObject([SUDO])
    await atB.forget(node)
    await vi.waitFor(() => expect(atB.list()).toMatchObject([SUDO]))
  })

  it('is not put on record where it never was', async () => {
    const { store, node, atB } = await twoMachines()
    // Others are told of nothing where there is nothing to remove.
    await store.records.put('policy-file', node, {})
    await atB.forget(node)
    expect(await store.records.list('policy-file')).toEqual([])
  })
})
