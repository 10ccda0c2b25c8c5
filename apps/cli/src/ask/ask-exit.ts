/** The exit codes of `holdpoint ask`: scripts branch on them. */
export const ASK_EXIT = {
  first: 0,
  another: 1,
  refused: 2,
  expired: 3,
  unreachable: 4,
  failed: 5,
  interrupted: 130,
} as const
