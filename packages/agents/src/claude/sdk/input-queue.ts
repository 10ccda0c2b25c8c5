/** Messages for the agent, as an iterable that stays open: an ended input would end the conversation. */
export function createInputQueue<Message>() {
  const waiting: Message[] = []
  let wake = () => {}
  let closed = false

  async function* messages(): AsyncGenerator<Message> {
    while (!closed) {
      const next = waiting.shift()
      if (next !== undefined) yield next
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  }

  return {
    messages: messages(),
    push(message: Message) {
      waiting.push(message)
      wake()
    },
    close() {
      closed = true
      wake()
    },
  }
}
