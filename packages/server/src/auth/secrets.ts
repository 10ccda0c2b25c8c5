import { createHash, randomBytes } from 'node:crypto'

/** 256 bits, for links, pages, tokens and tickets alike. */
export const newSecret = () => randomBytes(32).toString('base64url')

/** What is kept of a secret. Looking one up by its hash tells nothing about it by how long that takes. */
export const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('base64url')
