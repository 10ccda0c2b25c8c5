import { createInterface } from 'node:readline/promises'
import { CliError, EXIT } from './cli-error.ts'

/** Whether a person can be asked: somebody types, and sees what we print. */
export function canPrompt(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** One line typed by a person. Ctrl-C and Ctrl-D give up: neither is an answer. */
export async function promptLine(question: string): Promise<string> {
  // On stderr: what goes to stdout is data, and may be piped.
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await new Promise<string>((resolve, reject) => {
      const giveUp = () => reject(new CliError('\nStopped. Nothing was done.', EXIT.interrupted))
      terminal.once('SIGINT', giveUp)
      terminal.once('close', giveUp)
      terminal.question(question).then(resolve, reject)
    })
  } finally {
    terminal.close()
  }
}
