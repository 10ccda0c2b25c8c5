import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { homedir, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentEvents } from '@holdpoint/agents/claude/sdk/agent-messages'
import { projectFolderName } from '@holdpoint/agents/claude/transcript/project-folder'
import { type Folders, launch, type SeenAsk, startRealClaude } from '../../real-claude.ts'
import type { LiveRecord } from './recorded.ts'
import { sanitiseLine } from './sanitise.ts'
import { type RecordedScenario, scenarios } from './scenarios.ts'
import { recordTerminal, terminalScenarios } from './terminal-scenarios.ts'

const [, , target = '', ...wanted] = process.argv
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)

for (const [name, scenario] of Object.entries(scenarios)) {
  if (isWanted(name)) await inFolders((folders) => record(name, scenario, folders))
}
for (const [name, scenario] of Object.entries(terminalScenarios)) {
  if (!isWanted(name)) continue
  await inFolders(async (folders) => keep(name, folders, await recordTerminal(scenario, folders)))
}

async function record(name: string, scenario: RecordedScenario, folders: Folders) {
  await scenario.prepare?.(folders)
  const first = await play(scenario, folders)
  const runs = [first.live]
  if (scenario.resumed) runs.push((await play(scenario.resumed, folders, first.sessionId)).live)
  await keep(name, folders, { asks: runs.flatMap(({ asks }) => asks), items: runs.flatMap(({ items = [] }) => items) })
}

async function play(scenario: Omit<RecordedScenario, 'resumed' | 'prepare'>, folders: Folders, resume?: string) {
  const asks: { toolUseId: string; name: string; heldMs: number }[] = []
  const { answer } = scenario
  await using claude = await startRealClaude({
    script: scenario.script,
    ...(scenario.prompt !== undefined && { prompt: scenario.prompt }),
    folders,
    options: { ...(scenario.options ?? launch), ...(resume !== undefined && { resume }) },
    answer: async (seen: SeenAsk) => {
      const ask = { toolUseId: seen.context.toolUseID, name: seen.name, heldMs: Number.POSITIVE_INFINITY }
      asks.push(ask)
      const from = performance.now()
      const given = answer ? await answer(seen) : { behavior: 'allow' as const, updatedInput: seen.input }
      ask.heldMs = Math.round(performance.now() - from)
      return given
    },
  })
  await (scenario.play?.(claude) ?? claude.result())
  // The process writes the last lines on its way out.
  claude.endInput()
  await claude.ended
  const items = claude.messages.flatMap(agentEvents).flatMap((event) => (event.type === 'item' ? [event.item] : []))
  const sessionId = claude.messages.map((message) => message.session_id).find((id) => id !== undefined)
  // What was never answered was held until the end.
  const live: LiveRecord = {
    asks: asks.map((ask) => ({ ...ask, heldMs: Number.isFinite(ask.heldMs) ? ask.heldMs : 10_000 })),
    items,
  }
  return { live, sessionId }
}

async function inFolders(work: (folders: Folders) => Promise<void>) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-record-')))
  try {
    const folders = { home: join(root, 'home'), cwd: join(root, 'project') }
    await Promise.all([mkdir(folders.home), mkdir(folders.cwd)])
    await work(folders)
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function keep(name: string, { home, cwd }: Folders, live: LiveRecord) {
  const project = join(home, '.claude', 'projects', projectFolderName(cwd))
  const replace = new Map([
    [cwd, '/home/dev/project'],
    [home, '/home/dev'],
    [projectFolderName(cwd), projectFolderName('/home/dev/project')],
    [release(), '6.1.0'],
    [homedir(), '/home/dev'],
  ])
  const sanitise = async (path: string) => {
    const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
    return `${lines.map((line) => sanitiseLine(line, replace)).join('\n')}\n`
  }
  const folder = join(target, name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const sessions = (await readdir(project)).filter((file) => file.endsWith('.jsonl'))
  if (sessions.length !== 1) throw new Error(`${name} left ${sessions.length} transcripts`)
  const [session = ''] = sessions
  await writeFile(join(folder, 'session.jsonl'), await sanitise(join(project, session)))
  const agents = join(project, session.slice(0, -'.jsonl'.length), 'subagents')
  for (const file of await readdir(agents).catch(() => [])) {
    // By a name that no formatter takes for its own.
    if (file.startsWith('agent-')) {
      await writeFile(join(folder, file.replace(/\.json$/, '.jsonl')), await sanitise(join(agents, file)))
    }
  }
  let text = JSON.stringify(live)
  for (const [found, shown] of replace) text = text.replaceAll(found, shown)
  await writeFile(join(folder, 'live.jsonl'), `${text}\n`)
  console.error(`${name}: ${live.asks.length} asks, ${live.items?.length ?? 'no'} items`)
}
