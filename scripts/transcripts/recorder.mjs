// Notes what goes over the wire, so that it can be read: long texts cut short, rows of like frames counted.
import WebSocket from 'ws'

const LONGEST_TEXT = 160
/** Of frames in a row that differ in their text alone, so many are shown. */
const ALIKE = 2

export function createRecorder({ url, token }) {
  const lines = []
  const headers = { authorization: `Bearer ${token}` }
  const note = (direction, text) => lines.push(`${direction} ${text}`.trimEnd())

  return {
    lines,
    say: (text) => lines.push('', `# ${text}`),

    async call(method, path, body, { accept } = {}) {
      const typed = body === undefined ? {} : { 'content-type': 'application/json' }
      note('→', `${method} ${path}${accept ? `  (Accept: ${accept})` : ''}  ${body === undefined ? '' : short(body)}`)
      const reply = await fetch(url + path, {
        method,
        headers: { ...headers, ...typed, ...(accept && { accept }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      note('←', `${reply.status} ${text === '' ? '' : short(JSON.parse(text))}`)
      return text === '' ? undefined : JSON.parse(text)
    },

    /** A WebSocket; `next` resolves with the first frame that fits and has not been given out. */
    async socket(path) {
      const socket = new WebSocket(url.replace('http', 'ws') + path, { headers })
      note('→', `WebSocket ${path}`)
      const frames = createFrames(note)
      socket.on('message', (data) => frames.push(JSON.parse(String(data))))
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
      return {
        next: frames.next,
        send(frame) {
          note('→', short(frame))
          socket.send(JSON.stringify(frame))
        },
        close: () => socket.terminate(),
      }
    },

    /** Server-sent events: of `GET path`, or of a call with a body. */
    async events(path, body) {
      const left = new AbortController()
      const method = body === undefined ? 'GET' : 'POST'
      note('→', `${method} ${path}  (Accept: text/event-stream)  ${body === undefined ? '' : short(body)}`)
      const reply = await fetch(url + path, {
        method,
        headers: {
          ...headers,
          accept: 'text/event-stream',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: left.signal,
      })
      note('←', `${reply.status} ${reply.headers.get('content-type')}`)
      const frames = createFrames(note)
      const reading = readFrames(reply.body, frames.push).catch(() => {})
      return {
        next: frames.next,
        async close() {
          left.abort()
          await reading
        },
      }
    },
  }
}

async function readFrames(body, push) {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
      text = text.slice(end + 2)
      if (data !== undefined) push(JSON.parse(data))
    }
  }
}

function createFrames(note) {
  const waiting = []
  const frames = []
  let alike = 0
  let last = ''
  return {
    push(frame) {
      const likeness = JSON.stringify(frame, (key, value) => (CHANGING.has(key) ? undefined : value))
      alike = likeness === last ? alike + 1 : 0
      last = likeness
      if (alike < ALIKE) note('←', short(frame))
      else if (alike === ALIKE) note('←', '… and more of these')
      frames.push(frame)
      for (const look of waiting.splice(0)) look()
    },
    /** Rejects when no such frame comes. */
    async next(fits) {
      const deadline = AbortSignal.timeout(60_000)
      for (;;) {
        const index = frames.findIndex(fits)
        if (index >= 0) {
          const found = frames[index]
          frames.splice(0, index + 1)
          return found
        }
        deadline.throwIfAborted()
        await new Promise((resolve, reject) => {
          waiting.push(resolve)
          deadline.addEventListener('abort', () => reject(deadline.reason), { once: true })
        })
      }
    },
  }
}

const CHANGING = new Set(['text', 'json', 'input', 'seq'])

function short(value) {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'string' && part.length > LONGEST_TEXT ? `${part.slice(0, LONGEST_TEXT)}… (cut)` : part,
  )
}
