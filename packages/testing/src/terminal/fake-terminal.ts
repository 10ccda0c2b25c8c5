import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectFolderName } from '@holdpoint/agents/claude/transcript/project-folder'
import { runningProcess } from '@holdpoint/agents/processes/processes'
import { callHooks } from './hook-client.ts'

export interface FakeTerminalOptions {
  /** Claude Code's folder. */
  readonly config: string
  readonly cwd: string
  /** Of the gateway that its hooks call. */
  readonly dataDir: string
  /** Of a conversation that goes on. */
  readonly id?: string
  readonly entrypoint?: string
}

interface Reply {
  readonly status: number
  readonly body: { readonly hookSpecificOutput?: { readonly decision: Record<string, unknown> } }
}

/**
 * What a terminal with Claude Code in it does, as far as a gateway can see: hooks that call, a transcript, a note about
 * the process. The files have the form that the real one writes; a test says what happens, and in which order.
 */
export async function startFakeTerminal(options: FakeTerminalOptions) {
  const { config, cwd, id = randomUUID(), entrypoint = 'cli' } = options
  const folder = join(config, 'projects', projectFolderName(cwd))
  const transcript = join(folder, `${id}.jsonl`)
  await Promise.all([mkdir(folder, { recursive: true }), mkdir(join(config, 'sessions'), { recursive: true })])
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  const startedAt = Number((await runningProcess(pid))?.startTime)
  const record = join(config, 'sessions', `${pid}.json`)
  const gone = once(child, 'exit')
  let calls = 0

  async function hook(event: string, fields: object = {}, call: { requestId?: string; signal?: AbortSignal } = {}) {
    const reply = await callHooks(options.dataDir, {
      query: { pid: String(process.pid), parent: String(pid), request: call.requestId ?? randomUUID() },
      body: { session_id: id, transcript_path: transcript, cwd, hook_event_name: event, ...fields },
      ...(call.signal && { signal: call.signal }),
    })
    return reply as Reply
  }

  async function status(name: string, more: object = {}) {
    const fields = { pid, sessionId: id, cwd, procStart: String(startedAt), entrypoint, kind: 'interactive' }
    await writeFile(record, JSON.stringify({ ...fields, status: name, statusUpdatedAt: Date.now(), ...more }))
  }

  const write = (...entries: readonly object[]) =>
    appendFile(transcript, entries.map((entry) => `${JSON.stringify({ sessionId: id, cwd, ...entry })}\n`).join(''))

  await status('idle')
  return {
    id,
    pid,
    transcript,
    hook,
    status,
    write,
    /** Writes down a call, as Claude Code does before it asks about it. Gives its id. */
    async call(name: string, input: object, more: object = {}): Promise<string> {
      const toolUseId = `toolu_${++calls}_${id.slice(0, 8)}`
      const message = { role: 'assistant', content: [{ type: 'tool_use', id: toolUseId, name, input }] }
      await write({ type: 'assistant', uuid: randomUUID(), message, ...more })
      return toolUseId
    },
    /** Writes down how a call ended. */
    result: (toolUseId: string, more: object, content = 'text') =>
      write({
        type: 'user',
        uuid: randomUUID(),
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: toolUseId, content }] },
        ...more,
      }),
    /** Writes down that a hook's decision was taken. */
    taken: (toolUseId: string, decision: 'allow' | 'deny') =>
      write({
        type: 'attachment',
        attachment: {
          type: 'hook_permission_decision',
          decision,
          toolUseID: toolUseId,
          hookEvent: 'PermissionRequest',
        },
      }),
    /** The process goes, without a word. */
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
      await rm(record, { force: true })
    },
  }
}
export type FakeTerminal = Awaited<ReturnType<typeof startFakeTerminal>>
