import { randomUUID } from 'node:crypto'
import type { Ask } from '@holdpoint/schema/ask'
import { AskId } from '@holdpoint/schema/id'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { askResult } from './ask/ask-result.ts'
import { titleOf, wholeQuestion } from './ask/question-text.ts'
import type { AskedFor } from './asker.ts'
import { FormField, fieldProblem, formOf } from './mcp/form-of.ts'
import { type Extra, faultWords, type ToolDeps, textResult, withProgress } from './mcp-call.ts'

/** Below the minute after which many clients give up on a call. */
const WAIT_SECONDS = 45
const LONGEST_WAIT_SECONDS = 3600

const NOTES = {
  waiting: 'Nobody has answered yet. The ask stays open: call await with this id.',
  answered: undefined,
  skipped: 'A person has read it and chose not to answer.',
  expired: 'Nobody answered in time. This is not a no.',
  withdrawn: 'It was withdrawn before anybody answered.',
} as const

const wait_seconds = z
  .number()
  .min(0)
  .max(LONGEST_WAIT_SECONDS)
  .default(WAIT_SECONDS)
  .describe('How long this call waits for the answer. Stay below the time after which your client gives up on a call')

const AskInput = {
  question: z.string().min(1).max(60_000).describe('What to ask, in plain words'),
  options: z
    .array(z.string().min(1).max(1024))
    .max(20)
    .default([])
    .describe('Answers to choose from. Without any, people answer in their own words. They always can'),
  detail: z.string().max(60_000).optional().describe('More for people to read below the question'),
  fields: z.array(FormField).max(50).default([]).describe('A form instead of options: its fields'),
  timeout_seconds: z.number().int().min(1).max(31_536_000).optional().describe('The ask expires after this time'),
  wait_seconds,
}
type Asked = z.infer<z.ZodObject<typeof AskInput>>

/** `ask` and `await`: no call has to last longer than a client allows. */
export function addAskTools(server: McpServer, { asker, flags }: ToolDeps): void {
  server.registerTool(
    'ask',
    {
      title: 'Ask a person',
      description:
        'Asks a person through Holdpoint and waits for the answer: with options, for their own words, or with a form. If nobody has answered after wait_seconds, the result has the status "waiting" and an id: call await with it.',
      inputSchema: AskInput,
    },
    (input, extra) =>
      reported(async () => {
        const problem = problemOf(input)
        if (problem !== undefined) return failed(problem)
        const ask = await asker.raise(askedFor(input, server.server.getClientVersion()?.name ?? 'an MCP client'))
        const result = await waitFor(ask, input.wait_seconds, extra)
        // Nobody has been told its id, so nobody would ever get the answer.
        if (extra.signal.aborted) await asker.withdraw(ask)
        return result
      }),
  )

  server.registerTool(
    'await',
    {
      title: 'Wait for the answer',
      description: 'Waits for the answer to an ask that has the status "waiting".',
      inputSchema: { id: z.string().describe('The id that ask has given'), wait_seconds },
    },
    ({ id, wait_seconds: seconds }, extra) =>
      reported(async () => {
        const parsed = AskId.safeParse(id)
        const ask = parsed.success ? await asker.read(parsed.data) : undefined
        return ask ? waitFor(ask, seconds, extra) : failed(`There is no ask with the id ${id}.`)
      }),
  )

  async function waitFor(ask: Ask, seconds: number, extra: Extra): Promise<CallToolResult> {
    const limit = AbortSignal.any([extra.signal, AbortSignal.timeout(seconds * 1000)])
    const settled = await withProgress(extra, () => asker.outcome(ask, limit))
    const result = settled ? askResult(settled) : { id: ask.id, status: 'waiting' as const }
    const note = NOTES[result.status]
    const told = { ...result, ...(note !== undefined && { note }) }
    return { ...textResult(JSON.stringify(told)), structuredContent: told }
  }

  async function reported(act: () => Promise<CallToolResult>): Promise<CallToolResult> {
    try {
      return await act()
    } catch (error) {
      return failed(faultWords(error, flags))
    }
  }
}

function failed(words: string): CallToolResult {
  return { ...textResult(words), isError: true }
}

function problemOf({ options, fields }: Asked): string | undefined {
  if (options.length > 0 && fields.length > 0) return 'Give options or fields, not both.'
  if (new Set(options).size < options.length) return 'Two options are the same.'
  return fieldProblem(fields)
}

function askedFor({ question, detail, options, fields, timeout_seconds: timeout }: Asked, client: string): AskedFor {
  const text = wholeQuestion(question, detail)
  const shared = {
    requestId: randomUUID(),
    title: titleOf(question),
    ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
  }
  if (fields.length > 0) return { ...shared, kind: 'form', form: formOf(text, fields, client) }
  return { ...shared, kind: 'question', questions: [{ question: text, options: options.map((label) => ({ label })) }] }
}
