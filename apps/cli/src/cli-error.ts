/** Something a person can mend. The message says what is wrong and what to do next; the code is the exit code. */
export class CliError extends Error {
  readonly exitCode: number
  constructor(message: string, exitCode: number = EXIT.failure) {
    super(message)
    this.name = 'CliError'
    this.exitCode = exitCode
  }
}

export const EXIT = { failure: 1, usage: 2, notRunning: 3, locked: 4, refused: 5, interrupted: 130 } as const
