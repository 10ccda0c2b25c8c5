import { describe, expect, it } from 'vitest'
import { ControlLedger } from './control-ledger.ts'
import { readAgentLine } from './control-line.ts'

const request = (id: string) =>
  JSON.stringify({ type: 'control_request', request_id: id, request: { subtype: 'can_use_tool' } })
const cancel = (id: string) => JSON.stringify({ type: 'control_cancel_request', request_id: id })
const response = (id: string) =>
  JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: id } })

function createLedger() {
  const ledger = new ControlLedger()
  let n = 0
  return {
    ledger,
    agentSays: (line: string) => {
      const control = readAgentLine(Buffer.from(line))
      n += 1
      if (control) ledger.fromAgent(control, { n, bytes: Buffer.from(line) })
    },
  }
}

describe('ControlLedger', () => {
  it('lets one answer through per request, in flight or arrived (I5)', () => {
    const { ledger, agentSays } = createLedger()
    agentSays(request('r'))
    expect(ledger.toAgent(response('r'))).toEqual({ pass: true, answers: 'r' })
    expect(ledger.toAgent(response('r'))).toEqual({ pass: false })
    expect(ledger.snapshot()).toMatchObject({ open: ['r'], answered: [] })
    ledger.answered('r')
    expect(ledger.toAgent(response('r'))).toEqual({ pass: false })
    expect(ledger.snapshot()).toMatchObject({ open: [], answered: ['r'] })
  })

  it('drops answers to what was never asked or was taken back (I4)', () => {
    const { ledger, agentSays } = createLedger()
    agentSays(request('r'))
    agentSays(cancel('r'))
    expect(ledger.toAgent(response('r'))).toEqual({ pass: false })
    expect(ledger.toAgent(response('unheard'))).toEqual({ pass: false })
  })

  it('does not open an answered request again when the agent repeats it', () => {
    const { ledger, agentSays } = createLedger()
    agentSays(request('r'))
    ledger.toAgent(response('r'))
    ledger.answered('r')
    agentSays(request('r'))
    expect(ledger.toAgent(response('r'))).toEqual({ pass: false })
  })

  it('opens a request again that was taken back and asked anew', () => {
    const { ledger, agentSays } = createLedger()
    for (const line of [request('r'), cancel('r'), request('r')]) agentSays(line)
    expect(ledger.toAgent(response('r'))).toEqual({ pass: true, answers: 'r' })
  })

  it('names what waits, oldest first, without what is being answered and what came later', () => {
    const { ledger, agentSays } = createLedger()
    for (const id of ['a', 'b', 'c', 'd']) agentSays(request(id))
    ledger.toAgent(response('b'))
    expect(ledger.unanswered(3).map(({ requestId }) => requestId)).toEqual(['a', 'c'])
  })

  it('lets a message through once by its uuid, and everything it does not know always', () => {
    const { ledger } = createLedger()
    const message = JSON.stringify({ type: 'user', uuid: 'u', message: {} })
    expect([ledger.toAgent(message), ledger.toAgent(message)]).toEqual([{ pass: true }, { pass: false }])
    for (const line of ['{"type":"user"}', 'noise', '', '[]', 'null', '{"jsonrpc":"2.0"}']) {
      expect([ledger.toAgent(line), ledger.toAgent(line)]).toEqual([{ pass: true }, { pass: true }])
    }
  })

  it('remembers every answer and message, however many (no capped memory)', () => {
    const { ledger, agentSays } = createLedger()
    for (let index = 0; index < 5000; index += 1) {
      agentSays(request(`r${index}`))
      ledger.toAgent(response(`r${index}`))
      ledger.answered(`r${index}`)
      ledger.toAgent(JSON.stringify({ type: 'user', uuid: `u${index}` }))
    }
    expect(ledger.toAgent(response('r0'))).toEqual({ pass: false })
    expect(ledger.toAgent('{"type":"user","uuid":"u0"}')).toEqual({ pass: false })
  })
})
