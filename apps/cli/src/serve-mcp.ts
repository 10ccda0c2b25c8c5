import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { basename } from 'node:path'
import { VERSION } from '@holdpoint/server/system/version'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { addApproveTool } from './approve-tool.ts'
import { titled, whoAsks } from './ask/who-asks.ts'
import { within } from './ask/within.ts'
import { addAskTools } from './ask-tools.ts'
import { createAsker } from './asker.ts'
import type { AddressFlags } from './gateway-address.ts'
import { raiserApi } from './raiser-api.ts'

/** A client that ends its servers does not wait for long. */
const LEAVE_MS = 5000
/** Characters of one message: a call with the largest input that can be asked about fits. */
const LARGEST_MESSAGE = 32 * 1024 * 1024

/** Serves until the client closes the line. What is open then is withdrawn: nobody would get the answer. */
export async function serveMcp(options: {
  readonly address: AddressFlags
  readonly approveLimitMs?: number
}): Promise<void> {
  const server = new McpServer({ name: 'holdpoint', version: VERSION })
  const asker = createAsker({
    api: raiserApi(options.address),
    key: `mcp ${randomUUID()}`,
    title: () => titled(server.server.getClientVersion()?.name, basename(process.cwd()), whoAsks()),
    cwd: process.cwd(),
    say: (words) => console.error(words),
  })
  const calls = { asker, flags: options.address }
  addAskTools(server, calls)
  addApproveTool(server, { ...calls, limitMs: options.approveLimitMs })

  const closed = lineClosed()
  await server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: LARGEST_MESSAGE }))
  await closed
  // Aborts the calls that wait, each of which withdraws its ask; the rest goes with the session.
  await server.close()
  await within(LEAVE_MS, asker.leave()).catch(() => {})
  // A call that still waits for the gateway must not keep the program alive.
  process.exit()
}

/** The transport itself does not notice. */
async function lineClosed(): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  await Promise.race([
    ...['end', 'close', 'error'].map((event) => once(process.stdin, event, { signal })),
    ...['SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => once(process, event, { signal })),
  ]).catch(() => {})
  over.abort()
}
