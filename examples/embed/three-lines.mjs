// A program that uses the Claude Agent SDK. With the lines 1, 2 and 3, and `holdpoint.session` in the options of the query,
// people answer the asks of its agent: in the web app, or in any other client of Holdpoint.
//   node three-lines.mjs "Write a greeting into hello.txt"
import { homedir } from 'node:os'
import { join } from 'node:path'
import { query } from '@anthropic-ai/claude-agent-sdk'
import { createHoldpoint } from 'holdpoint/embed' // 1

const prompt = process.argv[2] ?? 'Write a greeting into hello.txt'
const cwd = process.cwd()
const holdpoint = await createHoldpoint({ data: join(homedir(), '.three-lines') }) // 2
process.stdout.write(`Answer here: ${(await holdpoint.listen({ port: 0 })).loginLink}\n`) // 3

const options = { cwd, permissionMode: 'default', settingSources: [], ...holdpoint.session({ cwd }).options }
for await (const message of query({ prompt, options })) {
  if (message.type === 'result') process.stdout.write(`${message.result ?? message.subtype}\n`)
}
