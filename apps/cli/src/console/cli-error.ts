/** Something a person can fix. The message says what is wrong and what to do next; the code is the exit code. */
export class CliError extends Error {
  readonly exitCode: number
  constructor(message: string, exitCode: number = EXIT.failure) {
    super(message)
    this.name = 'CliError'
    this.exitCode = exitCode
  }
}

export const EXIT = { failure: 1, usage: 2, notRunning: 3, locked: 4, refused: 5, interrupted: 130 } as const

/** Not a failure of ours: the program that was run ended so, and nothing needs to be said about it. */
export class ProgramEnd extends Error {
  readonly exitCode: number
  constructor(exitCode: number) {
    super(`the program ended with exit code ${exitCode}`)
    this.name = 'ProgramEnd'
    this.exitCode = exitCode
  }
}
