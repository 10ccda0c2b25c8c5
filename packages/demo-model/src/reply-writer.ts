import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Block, ModelCall, Reply, ReplyError, ReplyUsage } from './script.ts'

/** A block as the API sends it. */
type SentBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }

/**
 * Gives every block its final form. Ids come from the first words of the conversation and the number of calls before,
 * never from chance: the same call gets the same id after a retry or a restart, and two subagents get different ones.
 */
function sealBlocks(content: readonly Block[], call: ModelCall | undefined): readonly SentBlock[] {
  let ordinal = call?.calls.length ?? 0
  return content.map((block): SentBlock => {
    if (block.type === 'text') return { type: 'text', text: block.text }
    if (block.type === 'thinking') return { type: 'thinking', thinking: block.thinking, signature: 'demo' }
    const id = block.id ?? `toolu_${digest(`${call?.firstUserText}\n${ordinal}`)}`
    ordinal += 1
    return { type: 'tool_use', id, name: block.name, input: block.input }
  })
}

export function writeJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export function writeError(response: ServerResponse, { status, type, message }: ReplyError): void {
  // The real API says so, too. Without it Claude Code retries even a bad key for minutes.
  response.setHeader('x-should-retry', String(status === 408 || status === 409 || status === 429 || status >= 500))
  writeJson(response, status, { type: 'error', error: { type, message } })
}

export interface WriteOptions {
  readonly model: string
  readonly stream: boolean
  /** Whether the caller wants to know what a check says of the tool calls. */
  readonly isChecked: boolean
  readonly call: ModelCall | undefined
  /** Aborts when the endpoint closes or the caller is gone. */
  readonly signal: AbortSignal
}

/** Rejects only when `signal` aborts. */
export async function writeReply(response: ServerResponse, reply: Reply, options: WriteOptions): Promise<void> {
  const { signal } = options
  if (reply.delayMs) await sleep(reply.delayMs, undefined, { signal })
  if (reply.error) return writeError(response, reply.error)
  const blocks = sealBlocks(reply.content, options.call)
  const message = { ...envelope(blocks, options), usage: reply.usage ?? PLAIN_USAGE }
  if (!options.stream) {
    if (reply.hang) return untilAborted(signal)
    if (reply.cut) return void response.destroy()
    return writeJson(response, 200, { ...message, content: blocks })
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  const broken = reply.hang || reply.cut
  send('message_start', { message: { ...message, content: [], stop_reason: null } })
  for (const [index, block] of blocks.entries()) {
    send('content_block_start', { index, content_block: startOf(block) })
    for (const delta of deltasOf(block, reply.chunkDelayMs !== undefined)) {
      if (reply.chunkDelayMs) await sleep(reply.chunkDelayMs, undefined, { signal })
      send('content_block_delta', { index, delta })
    }
    if (broken && index === blocks.length - 1) break
    send('content_block_stop', { index })
  }
  if (reply.hang) return untilAborted(signal)
  if (reply.cut) return void response.write('', () => response.destroy())
  send('message_delta', {
    delta: {
      stop_reason: message.stop_reason,
      stop_sequence: null,
      ...(options.isChecked && checkResults(reply.content, blocks)),
    },
    usage: { output_tokens: message.usage.output_tokens },
  })
  send('message_stop', {})
  response.end()
}

const PLAIN_USAGE: ReplyUsage = { input_tokens: 10, output_tokens: 10 }

function envelope(blocks: readonly SentBlock[], { model, call }: WriteOptions) {
  const place = `${call?.firstUserText}\n${call?.messages.length}\n${JSON.stringify(blocks)}`
  return {
    id: `msg_${digest(place)}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
  }
}

/** What the check says of each call. */
function checkResults(content: readonly Block[], sent: readonly SentBlock[]) {
  const verdicts = content.flatMap((block, index): [string, object][] => {
    const made = sent[index]
    if (block.type !== 'tool_use' || block.flagged === undefined || made?.type !== 'tool_use') return []
    const { flagged: explanation } = block
    const outcome = explanation === false ? { outcome: 'not_flagged' } : { outcome: 'flagged', explanation }
    return [[made.id, { type: 'evaluated', ...outcome }]]
  })
  if (verdicts.length === 0) return {}
  const status = { type: 'available', tool_uses: Object.fromEntries(verdicts) }
  return { safeguard_results: [{ type: 'dangerous_tool_use', status }] }
}

function startOf(block: SentBlock): SentBlock {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  return { ...block, input: {} }
}

function deltasOf(block: SentBlock, inPieces: boolean): readonly object[] {
  if (block.type === 'text') {
    const words = inPieces ? (block.text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) : [block.text]
    return words.map((text) => ({ type: 'text_delta', text }))
  }
  if (block.type === 'thinking') {
    return [
      { type: 'thinking_delta', thinking: block.thinking },
      { type: 'signature_delta', signature: block.signature },
    ]
  }
  const json = JSON.stringify(block.input)
  const slices = inPieces ? (json.match(/[\s\S]{1,24}/gu) ?? []) : [json]
  return slices.map((partial_json) => ({ type: 'input_json_delta', partial_json }))
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}
