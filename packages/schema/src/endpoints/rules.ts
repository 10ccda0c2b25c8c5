import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { paths } from '../paths.ts'
import { ListedRule } from '../rule.ts'

export const ruleEndpoints = {
  list: {
    ...paths.rules.list,
    summary:
      'Remembered answers of running sessions: valid ones, and those of older versions with the reason why they have ended',
    replies: { 200: z.object({ rules: z.array(ListedRule) }) },
  },
  remove: {
    ...paths.rules.remove,
    summary: 'Remove a remembered answer',
    replies: { 204: 'removed' },
  },
} satisfies EndpointsOf<typeof paths.rules>
