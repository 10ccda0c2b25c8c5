import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Options, SDKMessage, SDKSystemMessage } from '@anthropic-ai/claude-agent-sdk'
import { type Script, say, use } from '@holdpoint/demo-model/script'
import { type Folders, startRealClaude } from '@holdpoint/testing/real-claude'
import { expect, test } from 'vitest'
import { canary, trust } from './facts.ts'

canary()

const options: Options = { settingSources: ['user', 'project', 'local'], permissionMode: 'default' }
const skill = (name: string, words: string) => `---\nname: ${name}\ndescription: d\n---\n${words}.\n`

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

const isInit = (message: SDKMessage): message is SDKSystemMessage =>
  message.type === 'system' && message.subtype === 'init'

async function prepare(folders: Folders): Promise<void> {
  const { cwd } = folders
  await trust(folders)
  await put(join(cwd, '.claude/skills/top/SKILL.md'), skill('top', 'From the top'))
  await put(join(cwd, '.claude/commands/command.md'), 'From the top.')
  await put(join(cwd, 'sub/f.txt'), 'x')
  await put(join(cwd, 'sub/.claude/commands/below.md'), 'From below.')
  await put(join(cwd, 'sub/.claude/agents/below.md'), '---\nname: agent-below\ndescription: d\n---\nhi\n')
}

/** A first turn tells what is there; then a skill of each of these names appears below, and each is called. */
test('T34 skills below the folder are loaded when a file there is read, and none takes a name that was there', async () => {
  let names: readonly string[] = []
  const script: Script = (call) => {
    if (!call.messages.some((message) => JSON.stringify(message).includes('Use them.'))) return say('ready')
    if (call.calls.length === 0) return { content: [use('Read', { file_path: join(claude.cwd, 'sub/f.txt') })] }
    // What is read is loaded beside the turn.
    if (call.calls.length === 1) return { content: [use('Bash', { command: 'sleep 1' })] }
    const name = names[call.calls.length - 2]
    return name === undefined ? say('done') : { content: [use('Skill', { skill: name })] }
  }
  await using claude = await startRealClaude({ script, prepare, options })
  await claude.result()
  const init = claude.messages.find(isInit)
  const known = [...new Set([...(init?.skills ?? []), ...(init?.slash_commands ?? [])])]
  expect(known).toEqual(expect.arrayContaining(['top', 'command']))
  const { commands } = await claude.query.initializationResult()
  expect(commands.map(({ name }) => name)).toEqual(init?.slash_commands)
  const below = (name: string) => join(claude.cwd, `sub/.claude/skills/${name}/SKILL.md`)
  for (const name of known) await put(below(name), skill(name, `From below as ${name}`))
  for (const name of ['top', 'command']) await put(below(`disguised-${name}`), skill(name, `From below as ${name}`))
  await put(below('fresh'), skill('fresh', 'From below, fresh'))
  names = [...known, ...known.map((name) => `/${name}`), 'fresh', 'below', 'done']
  claude.send('Use them.')
  await claude.result(2)
  const told = JSON.stringify(claude.model.requests.at(-1)?.messages)
  expect([...told.matchAll(/From below as [\w:-]+/g)].map(([words]) => words)).toEqual([])
  expect(told).toContain('From below, fresh')
  expect(told).toContain('Unknown skill: below')
  expect(told.match(/From the top/g)?.length).toBeGreaterThan(1)
  expect(claude.asks.map(({ input }) => input.skill).filter((name) => name === 'fresh')).toEqual([])
  expect(init?.agents).not.toContain('agent-below')
})
