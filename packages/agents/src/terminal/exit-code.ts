const REASON = /^exit-code-(\d{1,3})$/

/** How the end of a program is recorded, so that whoever comes later still learns its code. */
export function endReason(code: number): string {
  return `exit-code-${code}`
}

/** The code in a session's end; undefined where the program did not come to its own end. */
export function exitCodeOf(reason: string | undefined): number | undefined {
  const code = REASON.exec(reason ?? '')?.[1]
  return code === undefined ? undefined : Number(code)
}
