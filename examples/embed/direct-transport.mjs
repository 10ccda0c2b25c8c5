// Holdpoint without a web server: the program shows what its agent asks in its own terminal. It talks to the same record
// through the same client as a browser does, but within the process.
//   node direct-transport.mjs "Write a greeting into hello.txt"
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { query } from '@anthropic-ai/claude-agent-sdk'
import { createGatewayClient } from 'holdpoint/client'
import { createHoldpoint } from 'holdpoint/embed'

const prompt = process.argv[2] ?? 'Write a greeting into hello.txt'
const cwd = process.cwd()
const holdpoint = await createHoldpoint({ data: join(homedir(), '.direct-transport') })
const session = holdpoint.session({ cwd })
const client = createGatewayClient({ transport: holdpoint.transport() })
const terminal = createInterface({ input: process.stdin, output: process.stdout })
const shown = new Set()
let answering = Promise.resolve()

// One after another: a terminal shows one question at a time.
client.subscribe(() => {
  for (const ask of client.getState().asks.filter(({ id }) => !shown.has(id))) {
    shown.add(ask.id)
    answering = answering.then(() => show(ask))
  }
})

async function show(ask) {
  const answer = ask.kind === 'question' ? await choose(ask) : await decide(ask)
  const result = await client.answer(ask, answer)
  if (result.ok) return
  process.stdout.write(`That did not count: ${result.message}\n`)
  if (result.code === 'invalid_answer') await show(ask)
}

async function decide(ask) {
  // Whatever a form wants to know cannot be typed here.
  if (ask.kind === 'form') return { kind: 'decline' }
  const reply = await terminal.question(`${printable(ask.title)}\n${printable(ask.tool?.input)}\nAllow? (yes or no) `)
  return reply.trim() === 'yes' ? { kind: 'allow' } : { kind: 'deny', message: 'The user said no.' }
}

async function choose(ask) {
  const answers = []
  for (const [index, { question, options }] of ask.questions.entries()) {
    const lines = options.map(({ label }, place) => `  ${place + 1}. ${printable(label)}`)
    const reply = await terminal.question(`${printable(question)}\n${lines.join('\n')}\nA number, or your own words: `)
    const option = options[Number(reply) - 1]
    answers.push({ question: index, selected: option ? [option.label] : [], ...(!option && { other: reply }) })
  }
  return { kind: 'answer', answers }
}

/** What an agent wrote must not move the cursor, or look like something else. */
function printable(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.replace(/[^\n\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const options = { cwd, permissionMode: 'default', settingSources: [], ...session.options }
for await (const message of query({ prompt, options })) {
  if (message.type === 'result') process.stdout.write(`${message.result ?? message.subtype}\n`)
}
await session.end()
client.close()
terminal.close()
await holdpoint.close()
