import { realpathSync } from 'node:fs'
import { clearLine, cursorTo } from 'node:readline'
import { createInterface } from 'node:readline/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/**
 * @typedef {{ question: string, header?: string, options?: { label: string, description?: string }[], multiSelect?: boolean }} Question
 */

/** An agent's text must not move the cursor, recolour or hide what a person is about to allow. @param {unknown} text */
export function printable(text) {
  return String(text ?? '').replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * @param {string} name
 * @param {Record<string, any>} input
 */
export function describeTool(name, input) {
  if (name === 'Bash' && typeof input.command === 'string') {
    return printable([`Bash: ${input.command}`, input.description].filter(Boolean).join('\n'))
  }
  return printable(`${name}: ${JSON.stringify(input, null, 2)}`)
}

/** A person at a keyboard. */
class Terminal {
  #output = process.stdout
  #lines = createInterface({ input: process.stdin, output: process.stdout, prompt: '' })
  #ending = new AbortController()
  #isAsking = false

  constructor() {
    this.#lines.on('close', () => this.#ending.abort(new Error('No more input')))
  }

  /** Aborted once the person has left: end of input, or Ctrl-C. */
  get ended() {
    return this.#ending.signal
  }

  /** @param {string} text */
  print(text) {
    const isPrompting = this.#isAsking && this.#output.isTTY
    if (isPrompting) {
      clearLine(this.#output, 0)
      cursorTo(this.#output, 0)
    }
    this.#output.write(`${text}\n`)
    if (isPrompting) this.#lines.prompt(true)
  }

  /**
   * @param {string} prompt
   * @param {{ signal?: AbortSignal }} [options]
   */
  async ask(prompt, { signal } = {}) {
    const stop = signal ? AbortSignal.any([signal, this.ended]) : this.ended
    stop.throwIfAborted()
    this.#discardTyped()
    this.#isAsking = true
    try {
      return await this.#lines.question(prompt, { signal: stop })
    } catch (error) {
      this.ended.throwIfAborted()
      throw error
    } finally {
      this.#isAsking = false
    }
  }

  /** What was typed before a question appeared must not become its answer. */
  #discardTyped() {
    if (!this.#output.isTTY || this.#lines.line === '') return
    this.#lines.write(null, { ctrl: true, name: 'e' })
    this.#lines.write(null, { ctrl: true, name: 'u' })
  }

  /**
   * Only whole words decide, and Enter alone decides nothing.
   *
   * @template {string} Verb
   * @param {Verb[]} verbs
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<{ verb: Verb, message?: string }>} the message is what followed the verb
   */
  async decide(verbs, options) {
    const prompt = `${verbs.map((verb) => (/** @type {string} */ (verb) === 'deny' ? 'deny [reason]' : verb)).join(' / ')}> `
    for (;;) {
      const [, word = '', message] = /^(\S*)\s*(.*)$/.exec((await this.ask(prompt, options)).trim()) ?? []
      const verb = verbs.find((candidate) => candidate === word.toLowerCase())
      if (verb) return message ? { verb, message } : { verb }
    }
  }

  /**
   * @param {Question[]} questions
   * @param {string} leave the word that answers none of them
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<string[][] | null>} what was picked for each, or null
   */
  async pick(questions, leave, options) {
    /** @type {string[][]} */
    const picked = []
    for (const { question, header, options: choices = [], multiSelect } of questions) {
      this.print(printable(`\n${header ? `[${header}] ` : ''}${question}`))
      for (const [index, { label, description }] of choices.entries()) {
        this.print(printable(`  ${index + 1}. ${label}${description ? ` - ${description}` : ''}`))
      }
      const prompt = `${multiSelect ? 'numbers (1,2)' : 'a number'}, your own words, or ${leave}> `
      /** @type {string[]} */
      let labels = []
      while (labels.length === 0) {
        const typed = (await this.ask(prompt, options)).trim()
        if (typed === leave) return null
        labels = readChoice(typed, choices, multiSelect)
      }
      picked.push(labels)
    }
    return picked
  }

  /**
   * Does `work` until `isOpen` says no, which happens when somebody else answered or the time was up.
   *
   * @template T
   * @param {{ waitFor: (predicate: () => boolean, options: { signal: AbortSignal }) => Promise<unknown> }} client
   * @param {() => boolean} isOpen
   * @param {(signal: AbortSignal) => Promise<T>} work
   * @returns {Promise<T | undefined>} undefined if it was no longer open
   */
  async whileOpen(client, isOpen, work) {
    const stop = new AbortController()
    const end = () => stop.abort()
    client.waitFor(() => !isOpen(), { signal: stop.signal }).then(end, end)
    try {
      return await work(stop.signal)
    } catch (error) {
      if (!stop.signal.aborted || this.ended.aborted) throw error
      return undefined
    } finally {
      end()
    }
  }

  /** What fails is shown, and the person goes on. @param {() => unknown} action */
  async attempt(action) {
    try {
      await action()
    } catch (error) {
      if (!this.ended.aborted) this.print(`Failed: ${error instanceof Error ? printable(error.message) : error}`)
    }
  }

  close() {
    this.#lines.close()
  }
}

/**
 * @param {string} typed
 * @param {{ label: string }[]} choices
 * @param {boolean} [multiSelect]
 */
function readChoice(typed, choices, multiSelect) {
  const parts = multiSelect ? typed.split(',').map((part) => part.trim()) : [typed]
  if (!parts.every((part) => /^\d+$/.test(part))) return typed ? [typed] : []
  const labels = parts.map((part) => choices[Number(part) - 1]?.label)
  return labels.every((label) => label !== undefined) ? labels : []
}

/**
 * Runs `main` if the module at `moduleUrl` is what was started, and does nothing if it was imported.
 *
 * @template {{ close(): void, waitFor: Function }} Client
 * @param {string} moduleUrl
 * @param {object} program
 * @param {string} program.usage
 * @param {string} program.purpose
 * @param {boolean} [program.needsSession]
 * @param {(options: { url: string, token: string, session: any, terminal: Terminal, onError: (error: Error) => void }) => Client} program.connect
 * @param {(options: { client: Client, terminal: Terminal, session?: string }) => Promise<void>} program.main
 */
export async function runInTerminal(moduleUrl, { usage, purpose, needsSession, connect, main }) {
  const started = process.argv[1]
  if (!started || pathToFileURL(realpathSync(started)).href !== moduleUrl) return
  const help = `${purpose}\n\nUsage: node ${usage}\n\nThe token is taken from HOLDPOINT_TOKEN unless given.`
  /** @param {string} problem */
  const refuse = (problem) => {
    console.error(`${problem}\n\n${help}`)
    process.exitCode = 2
  }

  let values
  try {
    const text = /** @type {const} */ ({ type: 'string' })
    const options = {
      url: text,
      token: text,
      session: text,
      help: /** @type {const} */ ({ type: 'boolean', short: 'h' }),
    }
    values = parseArgs({ options }).values
  } catch (error) {
    return refuse(/** @type {Error} */ (error).message)
  }
  const { url, token = process.env.HOLDPOINT_TOKEN, session } = values
  if (values.help) return void process.stdout.write(`${help}\n`)
  if (!url || !URL.canParse(url)) return refuse('--url is missing or not an address')
  if (!token) return refuse('--token or HOLDPOINT_TOKEN is missing')
  if (needsSession && !session) return refuse('--session is missing')

  const terminal = new Terminal()
  const onError = (/** @type {Error} */ error) => terminal.print(`! ${printable(error.message)}`)
  const client = connect({ url, token, session, terminal, onError })
  try {
    await main({ client, terminal, session })
  } catch (error) {
    if (!terminal.ended.aborted) {
      console.error(error instanceof Error ? error.message : error)
      process.exitCode = 1
    }
  } finally {
    client.close()
    terminal.close()
  }
}
