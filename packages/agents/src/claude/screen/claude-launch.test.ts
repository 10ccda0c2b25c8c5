import { describe, expect, it } from 'vitest'
import { claudeLaunch, isClaude } from './claude-launch.ts'

const ID = '0d9a1c2e-1111-4222-8333-444455556666'

describe('isClaude', () => {
  it.each([
    ['claude', []],
    ['/opt/bin/claude', ['--model', 'opus', 'fix the tests']],
  ])('knows %s %j', (command, args) => expect(isClaude({ command, args })).toBe(true))
  it.each([
    ['claude', ['-p', 'hello']],
    ['claude', ['--version']],
    ['claude', ['mcp', 'list']],
    ['claudette', []],
    ['bash', ['claude']],
  ])('leaves %s %j alone', (command, args) => expect(isClaude({ command, args })).toBe(false))
})

describe('claudeLaunch', () => {
  it('gives the conversation an id to be found by', () => {
    const { args, vendorSessionId } = claudeLaunch(['--model', 'opus'], undefined)
    expect(args).toEqual(['--session-id', vendorSessionId, '--model', 'opus'])
    expect(vendorSessionId).toMatch(/^[0-9a-f-]{36}$/)
  })
  it('takes an id that is given', () => {
    expect(claudeLaunch(['--session-id', ID], undefined)).toEqual({ args: ['--session-id', ID], vendorSessionId: ID })
    expect(claudeLaunch([`--resume=${ID}`], undefined).vendorSessionId).toBe(ID)
    expect(claudeLaunch(['-r', ID], undefined).vendorSessionId).toBe(ID)
  })
  it.each([
    [['--continue']],
    [['-c']],
    [['--resume']],
    [['--resume', ID, '--fork-session']],
    [['--resume', 'by title']],
  ])('adds none to %j, which says itself which one it goes on with', (args) =>
    expect(claudeLaunch(args, undefined)).toEqual({ args }),
  )
  it('goes on with the conversation when the session is resumed, and says nothing twice', () => {
    const resumed = { args: ['--model', 'opus', `--resume=${ID}`], vendorSessionId: ID }
    expect(claudeLaunch(['--session-id', ID, '--model', 'opus'], ID)).toEqual(resumed)
    expect(claudeLaunch(['-c', '--model', 'opus'], ID)).toEqual(resumed)
    expect(claudeLaunch(['--model', 'opus', 'fix the tests'], ID)).toEqual(resumed)
    expect(claudeLaunch(['fix'], ID).args).toEqual([`--resume=${ID}`])
    expect(claudeLaunch([], ID).args).toEqual([`--resume=${ID}`])
  })
})
