// One exchange per protocol, each with the real Claude Code on the demo model. `quietly` acts without being noted: for
// what another protocol has to do so that this one gets its turn.

const isFor = (sessionId) => (frame) => frame.session_id === sessionId

export const exchanges = {
  async native({ recorder, startDemo }) {
    recorder.say('Listen, from a snapshot on')
    const stream = await recorder.socket('/api/stream')
    stream.send({ type: 'subscribe', ref: '1' })
    await stream.next(({ type }) => type === 'subscribed')
    recorder.say('A session is started elsewhere; its agent asks')
    await startDemo()
    const { event } = await stream.next(({ event }) => event?.type === 'ask-raised')
    recorder.say('Answer on the socket: the digest says what was seen')
    const { id, digest } = event.ask
    stream.send({ type: 'answer', ref: '2', id, kind: 'allow', digest })
    await stream.next(({ type }) => type === 'answered')
    const second = await stream.next(({ event }) => event?.type === 'ask-raised')
    stream.close()
    recorder.say('Or by a call')
    const ask = second.event.ask
    await recorder.call('POST', `/api/asks/${ask.id}/answer`, {
      kind: 'deny',
      digest: ask.digest,
      message: 'Not this file.',
    })
    recorder.say('A second answer does not count')
    await recorder.call('POST', `/api/asks/${ask.id}/answer`, { kind: 'allow', digest: ask.digest })
  },

  async 'process-state'({ recorder, startDemo, quietly }) {
    recorder.say('Connect')
    const socket = await recorder.socket('/ws/')
    await socket.next(({ type }) => type === 'active_processes')
    recorder.say('A session is started elsewhere; its agent asks')
    const { id } = await startDemo()
    const pending = async (type) =>
      (await socket.next((frame) => isFor(id)(frame) && frame.pending_request?.request_type === type)).pending_request
    const answer = (request, rest) =>
      socket.send({
        type: 'pending_request_response',
        session_id: id,
        request_id: request.request_id,
        request_type: request.request_type,
        ...rest,
      })
    const command = await pending('tool_approval')
    recorder.say('Allow it')
    answer(command, { decision: 'allow', updated_input: command.tool_input })
    const file = await pending('tool_approval')
    recorder.say('Deny the next one, with a reason')
    answer(file, { decision: 'deny', message: 'Not now.' })
    const question = await pending('ask_user_question')
    recorder.say('Answer the questions')
    answer(question, { answers: answersOf(question.tool_input.questions) })
    await socket.next((frame) => isFor(id)(frame) && !frame.pending_request)
    recorder.say('An answer that comes too late')
    answer(question, { answers: answersOf(question.tool_input.questions) })
    await socket.next(({ type }) => type === 'error')
    recorder.say('The session is ended elsewhere')
    await quietly('DELETE', `/api/sessions/${id}`)
    await socket.next((frame) => isFor(id)(frame) && frame.state === 'dead')
    socket.close()
  },

  async 'ask-user'({ recorder, startDemo, allowUntil }) {
    recorder.say('The session has the time limit of the ask-user protocol, 55 s')
    const { id } = await startDemo({ askTimeoutMs: 55_000, onTimeout: 'interrupt' })
    recorder.say('Connect')
    const socket = await recorder.socket(`/ws/chat/${id}`)
    await socket.next(({ type }) => type === 'session_status')
    recorder.say('Approvals are answered elsewhere, until the agent has a question')
    await allowUntil(id, 'question')
    const question = await socket.next(({ type }) => type === 'ask_user_question')
    recorder.say('Answer')
    socket.send({
      type: 'ask_user_response',
      data: { question_id: question.question_id, answers: answersOf(question.questions), cancelled: false },
    })
    await socket.next(({ type, waiting_for_user }) => type === 'session_status' && !waiting_for_user)
    recorder.say('An answer that comes too late')
    socket.send({
      type: 'ask_user_response',
      data: { question_id: question.question_id, answers: answersOf(question.questions), cancelled: false },
    })
    await socket.next(({ type }) => type === 'error')
    socket.close()
  },

  async permission({ recorder, startDemo }) {
    recorder.say('Listen')
    const events = await recorder.events('/event')
    recorder.say('A session is started elsewhere; its agent asks')
    const { id } = await startDemo()
    const asked = async () => (await events.next(({ type }) => type === 'permission.asked')).properties.request
    const command = await asked()
    recorder.say('What waits, for a client that has just connected')
    await recorder.call('GET', `/permission/pending?sessionId=${id}`)
    recorder.say('Allow, and remember it for this session')
    await recorder.call('POST', `/permission/${command.id}/reply`, { reply: 'always' })
    const file = await asked()
    recorder.say('Deny the next one, with a reason')
    await recorder.call('POST', `/permission/${file.id}/reply`, { reply: 'deny', message: 'Not now.' })
    await events.next(({ type }) => type === 'permission.replied')
    recorder.say('A reply that comes too late, and one to nothing')
    await recorder.call('POST', `/permission/${file.id}/reply`, { reply: 'allow' })
    await recorder.call('POST', '/permission/ask_00000000000000000000000000/reply', { reply: 'allow' })
    await events.close()
  },

  async 'turn-stream'({ recorder, startDemo }) {
    const { id } = await startDemo({ prompt: undefined })
    recorder.say('Send a message and follow the turn')
    const turn = await recorder.events(`/api/sessions/${id}/messages`, { content: 'Show me around' })
    const approval = async () => (await turn.next(({ type }) => type === 'approval_required')).data
    const command = await approval()
    recorder.say('Approve, by another call while the turn streams')
    await recorder.call('POST', `/api/sessions/${id}/approve`, { toolCallId: command.toolCallId })
    const file = await approval()
    recorder.say('Deny the next one, with a reason')
    await recorder.call('POST', `/api/sessions/${id}/deny`, { toolCallId: file.toolCallId, message: 'Not now.' })
    const { data } = await turn.next(({ type }) => type === 'question_prompt')
    recorder.say('Answer the questions, by their index')
    await recorder.call('POST', `/api/sessions/${id}/submit-answers`, {
      toolCallId: data.toolCallId,
      answers: Object.fromEntries(
        data.questions.map(({ options, multiSelect }, index) => [
          String(index),
          multiSelect ? JSON.stringify([options[0].label]) : options[0].label,
        ]),
      ),
    })
    recorder.say('Answers that come too late')
    await recorder.call('POST', `/api/sessions/${id}/submit-answers`, {
      toolCallId: data.toolCallId,
      answers: { 0: 'late' },
    })
    // Before the client leaves: otherwise it depends on the agent's speed whether the result is on the page.
    await turn.next((event) => event.type === 'tool_result' && event.data.toolCallId === data.toolCallId)
    await turn.close()
    recorder.say('Leaving does not end the turn: join it again')
    const joined = await recorder.events(`/api/sessions/${id}/stream`)
    await joined.next(({ type }) => type === 'session_status')
    await joined.close()
  },
}

/** The first option of every question. */
function answersOf(questions) {
  return Object.fromEntries(questions.map(({ question, options }) => [question, options[0].label]))
}
