import { z } from 'zod'

/** What the files of a session are compared with: how they were when it began, or when it was sent its last message. */
export const ChangesSince = z.enum(['start', 'message'])
export type ChangesSince = z.infer<typeof ChangesSince>

/**
 * Why a change cannot be shown line by line: the file is too large, or no text; what was in it before was not kept; or the
 * two contents differ too much to be compared in time.
 */
export const WhyNoLines = z.enum(['large', 'binary', 'not-kept', 'too-different'])
export type WhyNoLines = z.infer<typeof WhyNoLines>

export const ChangedFile = z.object({
  /** Below the session's folder, with `/` between the names. */
  path: z.string(),
  status: z.enum(['added', 'changed', 'deleted']),
  /** A link is shown by where it leads; nobody goes there. */
  kind: z.enum(['file', 'link']),
  /** Lines. Left out where they were not counted. */
  added: z.int().optional(),
  removed: z.int().optional(),
  why: WhyNoLines.optional(),
  /** Whether it can be run as a program now, where it could not before, or the other way round. */
  executable: z.boolean().optional(),
})
export type ChangedFile = z.infer<typeof ChangedFile>

export const ChangedFiles = z.object({
  /** When the files were as they are compared with. */
  at: z.int(),
  files: z.array(ChangedFile),
  /** How many more there are. */
  more: z.int(),
  /** What is not known of them, in plain sentences. */
  remarks: z.array(z.string()),
  /** When the session ended: what has changed since is not in it. */
  endedAt: z.int().optional(),
})
export type ChangedFiles = z.infer<typeof ChangedFiles>

export const FileDiff = z.object({
  file: ChangedFile,
  /** Unified, of this file. Left out where `file` says why. */
  diff: z.string().optional(),
})
export type FileDiff = z.infer<typeof FileDiff>
