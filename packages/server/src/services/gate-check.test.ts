import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as sdk from '@anthropic-ai/claude-agent-sdk'
import type { Sdk } from '@holdpoint/agents/claude/program/claude-program'
import { expect, it, onTestFinished } from 'vitest'
import { checkGate, createGateCheck } from './gate-check.ts'

const version = '9.9.9'
/** The real program, which comes with the SDK in a package for this machine. */
const executable = join(
  dirname(createRequire(import.meta.url).resolve(`@anthropic-ai/claude-agent-sdk-linux-${process.arch}/package.json`)),
  'claude',
)

it('[T57] the gate of the real Claude Code passes its check', { timeout: 60_000 }, async () => {
  expect(await checkGate({ sdk, executable, version })).toBeUndefined()
})

it('[T57] one that asks nobody, or fails, does not pass', { timeout: 60_000 }, async () => {
  const without = (...names: ('hooks' | 'canUseTool' | 'settings')[]) => {
    const query: Sdk['query'] = ({ prompt, options = {} }) =>
      sdk.query({
        prompt,
        options: Object.fromEntries(Object.entries(options).filter(([name]) => !names.some((n) => n === name))),
      })
    return checkGate({ sdk: { query }, executable, version })
  }
  expect(await without('hooks')).toContain('did not ask about every call')
  expect(await without('canUseTool')).toContain('did not ask about every call')
  expect(await without('settings')).toContain('other sessions can send messages')
  expect(await checkGate({ sdk, executable: '/no/such/claude', version })).toContain('did not finish')
})

it('[T57] looks once for each program', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hp-check-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const program = { sdk, executable: join(folder, 'claude'), version }
  await writeFile(program.executable, 'one')
  let looked = 0
  let failure: string | undefined = 'broken'
  const look = async () => {
    looked++
    return failure
  }
  const check = () => createGateCheck(join(folder, 'checks'), look)(program)
  expect([await check(), await check()]).toEqual(['broken', 'broken'])
  failure = undefined
  expect([await check(), await check(), looked]).toEqual([undefined, undefined, 3])
  await writeFile(program.executable, 'another')
  await check()
  expect(looked).toBe(4)
})
