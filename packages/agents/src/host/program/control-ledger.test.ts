import { describe, expect, it } from 'vitest'
import { readAgentLine } from '../wire/control-line.ts'
import { ControlLedger } from './control-ledger.ts'

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

  const initialize = (id: string, hooks?: unknown) =>
    JSON.stringify({ type: 'control_request', request_id: id, request: { subtype: 'initialize', hooks, agents: {} } })
  const hook = (id: string, event: string, input: object) => {
    const request = { subtype: 'hook_callback', callback_id: 'hook_0', input: { hook_event_name: event, ...input } }
    return JSON.stringify({ type: 'control_request', request_id: id, request })
  }

  it('[T65] hands on the hooks of the first initialize, leaves the same ones out later, and hands on others', () => {
    const { ledger } = createLedger()
    const hooks = { PreToolUse: [{ hookCallbackIds: ['hook_0'], timeout: 1 }] }
    const others = { Stop: [{ hookCallbackIds: ['hook_0'] }], ...hooks }
    expect(ledger.toAgent(initialize('1', hooks))).toEqual({ pass: true, initializes: '1' })
    const again = ledger.toAgent(initialize('2', hooks))
    expect(again).toMatchObject({ pass: true, initializes: '2' })
    expect(JSON.parse(('line' in again && again.line) || '')).toEqual(JSON.parse(initialize('2')))
    expect(ledger.toAgent(initialize('3', others))).toEqual({ pass: true, initializes: '3' })
    expect(ledger.toAgent(initialize('4', others))).toHaveProperty('line')
    // What the agent has now is the last set that it was given.
    expect(ledger.toAgent(initialize('5', hooks))).not.toHaveProperty('line')
  })

  it('[T62] hands over the folders of calls that may not have run yet', () => {
    const { ledger, agentSays } = createLedger()
    agentSays(hook('h1', 'PreToolUse', { tool_use_id: 't1', cwd: '/code' }))
    agentSays(hook('h2', 'PreToolUse', { tool_use_id: 't2', cwd: '/code/sub' }))
    agentSays(hook('h3', 'PreToolUse', { tool_use_id: 't3' }))
    expect(ledger.snapshot()).toMatchObject({ open: ['h1', 'h2', 'h3'], folders: { t1: '/code', t2: '/code/sub' } })
    // Answered is not over: whether it asks comes after that.
    ledger.toAgent(response('h1'))
    ledger.answered('h1')
    expect(ledger.snapshot().folders).toHaveProperty('t1', '/code')
    agentSays(hook('p1', 'PostToolUse', { tool_use_id: 't1' }))
    expect(ledger.snapshot().folders).toEqual({ t2: '/code/sub' })
    for (let call = 0; call < 1500; call++) {
      agentSays(hook(`h-${call}`, 'PreToolUse', { tool_use_id: `t-${call}`, cwd: '/code' }))
    }
    expect(Object.keys(ledger.snapshot().folders)).toHaveLength(1000)
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
