/** Files that a person may send with a message. A file of its own, so that a browser loads it without the schemas. */
export const ATTACHMENT_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'text/plain',
] as const

/** All of a message goes to the agent in one line, and a line has its limit. */
export const MAX_ATTACHMENTS = 4

export const MAX_ATTACHMENT_BYTES = 8 * 1024 * 1024
