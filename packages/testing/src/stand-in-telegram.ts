import { type ReceiverReply, startStandInReceiver } from './stand-in-receiver.ts'

interface Button {
  readonly text: string
  readonly url?: string
  readonly callback_data?: string
}

interface Parameters {
  readonly chat_id?: string
  readonly text?: string
  readonly message_id?: number
  readonly message_ids?: readonly number[]
  readonly offset?: number
  readonly limit?: number
  readonly callback_query_id?: string
  readonly disable_notification?: boolean
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly Button[])[] }
}

export interface ChatMessage {
  readonly id: number
  text: string
  buttons: readonly Button[]
  readonly isSilent: boolean
}

/** A press, or anything else: a bot also gets what came before it said what it wants. */
interface Update {
  readonly update_id: number
  readonly callback_query?: unknown
  readonly message?: unknown
}

/** A press as it gets to the bot. What is left out is as it would be for a press of that button. */
interface Press {
  readonly userId: number
  readonly chatId?: number
  readonly data?: string
}

/**
 * Telegram's Bot API as far as we use it, made from its published description (https://core.telegram.org/bots/api), with the
 * limits that it states. It has never been compared with the real one.
 */
export async function startStandInTelegram(options: { readonly token: string; readonly chatId: number }) {
  const messages = new Map<number, ChatMessage>()
  const updates: Update[] = []
  const waiting = new Map<string, (text: string) => void>()
  const calls: string[] = []
  const texts: string[] = []
  const replayed: Update[] = []
  let refusals = 0
  let readers = 0
  let lastId = 100
  let wake = () => {}
  let sending: ReceiverReply | 'well' = 'well'

  const server = await startStandInReceiver(async (request, gone) => {
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.path) ?? []
    if (token !== options.token) {
      refusals += 1
      return failure(401, 'Unauthorized')
    }
    calls.push(method)
    const parameters = JSON.parse(request.body) as Parameters
    if (method === 'sendMessage') texts.push(parameters.text ?? '')
    const isSend = method === 'sendMessage' || method === 'editMessageText'
    if (isSend && sending !== 'well') return sending
    return await answer(method, parameters, gone)
  })

  async function answer(method: string, parameters: Parameters, gone: AbortSignal): Promise<ReceiverReply> {
    if (method === 'getUpdates') {
      readers += 1
      const news = await updatesFrom(parameters, gone)
      readers -= 1
      return success(news)
    }
    if (method === 'answerCallbackQuery') {
      const told = waiting.get(parameters.callback_query_id ?? '')
      if (!told)
        return failure(400, 'Bad Request: query is too old and response timeout expired or query ID is invalid')
      waiting.delete(parameters.callback_query_id ?? '')
      if ((parameters.text ?? '').length > 200) return failure(400, 'Bad Request: MESSAGE_TOO_LONG')
      told(parameters.text ?? '')
      return success(true)
    }
    if (parameters.chat_id !== String(options.chatId)) return failure(400, 'Bad Request: chat not found')
    if (method === 'deleteMessages') {
      for (const id of parameters.message_ids ?? []) messages.delete(id)
      return success(true)
    }
    return method === 'sendMessage' ? sent(parameters) : edited(parameters)
  }

  function sent(parameters: Parameters): ReceiverReply {
    const wrong = whatIsWrong(parameters)
    if (wrong) return wrong
    lastId += 1
    const { text = '', disable_notification: isSilent = false } = parameters
    messages.set(lastId, { id: lastId, text, buttons: buttonsOf(parameters), isSilent })
    return success({ message_id: lastId, chat: { id: options.chatId } })
  }

  function edited(parameters: Parameters): ReceiverReply {
    const message = messages.get(parameters.message_id ?? 0)
    if (!message) return failure(400, 'Bad Request: message to edit not found')
    const wrong = whatIsWrong(parameters)
    if (wrong) return wrong
    const buttons = buttonsOf(parameters)
    if (message.text === parameters.text && JSON.stringify(message.buttons) === JSON.stringify(buttons)) {
      return failure(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are the same',
      )
    }
    message.text = parameters.text ?? ''
    message.buttons = buttons
    return success({ message_id: message.id })
  }

  /** Updates before `offset` are forgotten; without one the reply is held. */
  async function updatesFrom({ offset = 0, limit = 100 }: Parameters, gone: AbortSignal) {
    while (updates.length > 0 && (updates[0]?.update_id ?? 0) < offset) updates.shift()
    while (updates.length === 0 && !gone.aborted) {
      await new Promise<void>((resolve) => {
        wake = resolve
        gone.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    return [...replayed.splice(0), ...updates].slice(0, limit)
  }

  return {
    ...server,
    /** The methods that were called, in order. */
    calls,
    /** The texts that were sent as new messages, taken or not. */
    texts,
    messages: () => [...messages.values()],
    /** How it treats messages from now on. */
    behave(how: ReceiverReply | 'well') {
      sending = how
    },
    /** Somebody presses a button. Resolves with what the bot tells them. */
    press(message: ChatMessage, button: string, { userId, chatId = options.chatId, data }: Press): Promise<string> {
      lastId += 1
      const id = String(lastId)
      const pressed = data ?? message.buttons.find(({ text }) => text === button)?.callback_data
      const query = {
        id,
        from: { id: userId, is_bot: false, first_name: 'Somebody' },
        message: { message_id: message.id, chat: { id: chatId, type: 'private' }, text: message.text },
        chat_instance: '1',
        data: pressed,
      }
      const told = new Promise<string>((resolve) => waiting.set(id, resolve))
      updates.push({ update_id: lastId, callback_query: query })
      wake()
      return told
    },
    /** Sends the bot an update as it is. */
    push(update: Update) {
      lastId = Math.max(lastId, update.update_id)
      updates.push(update)
      wake()
    },
    /** Sends one again together with the next, although the bot has confirmed it. */
    replay(update: Update) {
      replayed.push(update)
    },
    /** How many wait for updates now. Telegram lets only one. */
    readers: () => readers,
    /** Somebody deletes a message. */
    forget(id: number) {
      messages.delete(id)
    },
    /** Calls with another token than that of the bot. */
    refused: () => refusals,
    nextUpdateId: () => lastId + 1,
  }
}

function whatIsWrong(parameters: Parameters): ReceiverReply | undefined {
  const { text = '' } = parameters
  if (text === '') return failure(400, 'Bad Request: message text is empty')
  if (text.length > 4096) return failure(400, 'Bad Request: message is too long')
  for (const button of buttonsOf(parameters)) {
    const bytes = Buffer.byteLength(button.callback_data ?? '')
    if (button.callback_data !== undefined && (bytes < 1 || bytes > 64))
      return failure(400, 'Bad Request: BUTTON_DATA_INVALID')
    if ((button.url === undefined) === (button.callback_data === undefined)) {
      return failure(400, 'Bad Request: BUTTON_TYPE_INVALID')
    }
  }
  return undefined
}

function buttonsOf({ reply_markup: markup }: Parameters): readonly Button[] {
  return markup?.inline_keyboard.flat() ?? []
}

function success(result: unknown): ReceiverReply {
  return { status: 200, body: JSON.stringify({ ok: true, result }) }
}

function failure(status: number, description: string): ReceiverReply {
  return { status, body: JSON.stringify({ ok: false, error_code: status, description }) }
}
