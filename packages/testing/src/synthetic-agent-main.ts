// A stand-in for an agent process: it asks, and notes what it was told. Arguments: the file to note it in, how many asks
// to keep open, how many to raise in all.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , notes = '', open = '1', total = '100'] = process.argv
const waiting = new Set<string>()
let raised = 0

const send = (message: unknown) => process.stdout.write(`${JSON.stringify(message)}\n`)
const note = (text: string) => appendFileSync(notes, `${text}\n`)

function raise() {
  if (raised >= Number(total)) return
  const id = `r${++raised}`
  waiting.add(id)
  note(`asked ${id}`)
  const request = {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { command: `run ${id}` },
    tool_use_id: `tool-${id}`,
  }
  send({ type: 'control_request', request_id: id, request })
}

for (let count = 0; count < Number(open); count++) raise()

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as {
    type: string
    request_id?: string
    response?: { request_id: string; response: { behavior: string; input?: { command: string } } }
  }
  if (message.type === 'control_request') {
    return void send({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id } })
  }
  if (message.type !== 'control_response' || !message.response) return
  const { request_id: id, response } = message.response
  // Told twice, or told about something it never asked: exactly what must not happen.
  if (!waiting.delete(id)) return note(`stray ${id} ${response.behavior}`)
  note(`told ${id} ${response.behavior} ${response.input?.command ?? ''}`)
  raise()
})
