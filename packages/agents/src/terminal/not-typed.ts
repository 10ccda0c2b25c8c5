/**
 * Why nothing is typed for somebody who does not look: something is asked, or might be before the key arrives. `changing`
 * may be over in a moment.
 */
export type NotTyped = 'asked' | 'not-at-rest' | 'changing'

/** What a program's screen says about typing into it. */
export type TypingGuard = (
  data: string,
  now: {
    readonly screen: readonly string[]
    /** The name of the program that has the terminal. */
    readonly foreground: string
    /** For how long nothing was drawn or typed, in milliseconds. */
    readonly quietMs: number
  },
) => NotTyped | undefined
