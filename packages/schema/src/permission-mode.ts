import { z } from 'zod'

export const PermissionMode = z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions'])
export type PermissionMode = z.infer<typeof PermissionMode>
