export const MISSING = Symbol('missing')

/**
 * One look at the disk: within it, each path is looked at once, however often it is asked for. What an old one knows may have
 * changed: take a new one for each decision.
 */
export interface DiskLook {
  /** Where the path is, links followed; `MISSING` where there is nothing, undefined where it cannot be told. */
  realPath(path: string): Promise<string | typeof MISSING | undefined>
  /** Whether the path itself is a link; `MISSING` where there is nothing, undefined where it cannot be told. */
  isLink(path: string): Promise<boolean | typeof MISSING | undefined>
}
