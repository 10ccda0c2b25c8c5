/** The name of the command that an agent takes this message for: `compact` of `/compact`. A path at the beginning is none. */
export function slashCommand(text: string): string | undefined {
  return /^\s*\/([^\s/]+)(?=\s|$)/.exec(text)?.[1]
}
