import type { Attachments } from './services/attachments.ts'
import type { TrustedFolders } from './trust/trusted-folders.ts'

/** What drivers get of the gateway. */
export interface DriverTools {
  readonly attachments: Attachments
  /** Whether a session with this life of its agent, `<session id>.<epoch>`, is not over. */
  readonly isLive: (key: string) => boolean
  /** Whether another session than this one speaks for the same conversation. */
  readonly isElsewhere: (vendorSessionId: string, sessionId: string) => boolean
  readonly watchedFiles: TrustedFolders['watchedFiles']
}
