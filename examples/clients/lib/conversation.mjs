/**
 * @typedef {object} QuestionItem
 * @property {string} header
 * @property {string} question
 * @property {{ label: string, description?: string }[]} options
 * @property {boolean} multiSelect
 *
 * @typedef {{ type: string, data: any }} StreamEvent
 *
 * @typedef {object} ToolCallState
 * @property {string} toolCallId
 * @property {string} toolName
 * @property {string} input JSON text
 * @property {string} [result]
 * @property {'pending' | 'running' | 'complete' | 'error'} status `pending` while a person is asked
 * @property {'question' | 'approval'} [interactiveType]
 * @property {QuestionItem[]} [questions]
 * @property {string} [outcome] how the ask ended: approved, denied or answered from here, or what the server said
 * @property {string} [reason]
 *
 * @typedef {object} ChatMessage
 * @property {'user' | 'assistant'} role
 * @property {string} content
 * @property {ToolCallState[]} toolCalls
 */

/** What a chat shows, built from the events of its turns. */
export class Conversation {
  /** @type {ChatMessage[]} */
  messages = []
  /**
   * What the server said last about the session.
   *
   * @type {any}
   */
  status = null
  /**
   * The message that the present turn adds to.
   *
   * @type {ChatMessage | null}
   */
  #reply = null

  get toolCalls() {
    return this.messages.flatMap((message) => message.toolCalls)
  }

  /** @param {string} toolCallId */
  getToolCall(toolCallId) {
    return this.toolCalls.find((call) => call.toolCallId === toolCallId) ?? null
  }

  /** @param {string} [content] what the user said, unless the turn is already running */
  beginTurn(content) {
    this.#reply = null
    if (content !== undefined) this.messages = [...this.messages, { role: 'user', content, toolCalls: [] }]
  }

  /** @param {StreamEvent} event */
  apply({ type, data }) {
    if (type === 'text_delta') this.#currentReply().content += data.text
    else if (type === 'session_status') this.status = data
    else if (type === 'interaction_settled') this.settle(data.toolCallId, data.outcome, data.reason)
    else if (type === 'question_prompt') {
      const call = this.#toolCall(data.toolCallId, 'AskUserQuestion')
      ask(call, { interactiveType: 'question', questions: data.questions, input: JSON.stringify(data.questions) })
    } else if (type === 'approval_required') {
      ask(this.#toolCall(data.toolCallId, data.toolName), { interactiveType: 'approval', input: data.input })
    } else if (type === 'tool_result') {
      const call = this.#toolCall(data.toolCallId, data.toolName)
      call.result = data.result
      call.status = data.status === 'error' ? 'error' : 'complete'
    } else if (type.startsWith('tool_call_')) {
      const call = this.#toolCall(data.toolCallId, data.toolName)
      // The ask may come before these or after them; they must not undo what it has said.
      if (call.interactiveType) return
      if (type === 'tool_call_delta') call.input += data.input ?? ''
      if (type === 'tool_call_end') call.status = 'complete'
    }
  }

  /** @param {string} toolCallId @param {string} outcome @param {string} [reason] */
  settle(toolCallId, outcome, reason) {
    const call = this.getToolCall(toolCallId)
    if (!call?.interactiveType) return
    call.outcome = outcome
    call.reason = reason
    // The result, also that of a refused call, may have come first.
    if (call.status === 'pending') call.status = 'running'
  }

  /** The call with this id, added if it is new. @param {string} toolCallId @param {string} [toolName] */
  #toolCall(toolCallId, toolName = '') {
    const known = this.getToolCall(toolCallId)
    if (known) return known
    /** @type {ToolCallState} */
    const call = { toolCallId, toolName, input: '', status: 'running' }
    this.#currentReply().toolCalls.push(call)
    return call
  }

  #currentReply() {
    if (!this.#reply) {
      this.#reply = { role: 'assistant', content: '', toolCalls: [] }
      this.messages = [...this.messages, this.#reply]
    }
    return this.#reply
  }
}

/** @param {ToolCallState} call @param {Partial<ToolCallState>} details */
function ask(call, details) {
  Object.assign(call, { ...details, status: 'pending', outcome: undefined, reason: undefined })
}
