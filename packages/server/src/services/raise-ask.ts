import { incompleteAsk } from '@holdpoint/core/incomplete-ask'
import { sizeOf } from '@holdpoint/core/size-of'
import { RaiseAsk, TEXT_LIMIT } from '@holdpoint/schema/endpoints/asks'
import { z } from 'zod'

/** What a raiser sends, whole: the rules that take more than one field, or a walk through a value, to check. */
export const CompleteAsk = RaiseAsk.extend({
  form: RaiseAsk.shape.form
    .unwrap()
    .extend({
      schema: z
        .record(z.string(), z.unknown())
        .refine((schema) => sizeOf(schema) <= TEXT_LIMIT, `must not be larger than ${TEXT_LIMIT} characters`)
        .optional(),
    })
    .optional(),
}).superRefine((request, { addIssue }) => {
  const message = incompleteAsk(request)
  if (message !== undefined) addIssue({ code: 'custom', message })
  if ((request.sessionId === undefined) === (request.program === undefined))
    addIssue({ code: 'custom', message: 'An ask needs a sessionId or a program, and not both.' })
  if (request.program && request.epoch !== undefined)
    addIssue({ code: 'custom', path: ['epoch'], message: 'is for asks with a sessionId' })
})
