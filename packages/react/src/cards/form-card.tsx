import { fieldsOf } from '@holdpoint/core/form-fields'
import { useMemo, useRef, useState } from 'react'
import { stringsIn } from '../text/strings-in.ts'
import { AgentSays, formSpeaker } from './agent-says.tsx'
import { AnswerFrame, useCardAnswering } from './answer-frame.tsx'
import type { OpenCardProps } from './card-frame.tsx'
import { FormActions } from './form-actions.tsx'
import { contentOf } from './form-content.ts'
import { FormField } from './form-field.tsx'
import { type FieldValue, initialValues } from './form-values.ts'
import { UrlText } from './url-text.tsx'

/** What an MCP server wants filled in, or a link that it wants opened. */
export function FormCard(card: OpenCardProps) {
  const { ask } = card
  const { form } = ask
  const answering = useCardAnswering(card)
  const fields = useMemo(() => (form?.mode === 'form' ? fieldsOf(form.schema) : []), [form])
  const texts = useMemo(() => [form?.message ?? '', form?.url ?? '', ...stringsIn(form?.schema)], [form])
  const [values, setValues] = useState<ReadonlyMap<string, FieldValue>>(() => initialValues(form?.schema))
  const [tried, setTried] = useState(false)
  const fieldList = useRef<HTMLDivElement>(null)

  const { off, send } = answering
  const { content, errors } = contentOf(fields, values)

  function submit() {
    setTried(true)
    if (errors.size === 0) send({ kind: 'submit', digest: ask.digest, content: { ...content } })
    else
      fieldList.current
        ?.querySelectorAll<HTMLElement>('[data-field]')
        [indexOfFirst()]?.querySelector<HTMLElement>(FOCUSABLE)
        ?.focus()
  }
  function indexOfFirst() {
    return fields.findIndex((field) => errors.has(field.name))
  }

  const shownErrors = tried ? errors : undefined
  return (
    <AnswerFrame
      card={card}
      answering={answering}
      texts={texts}
      onSubmitKey={submit}
      actions={<FormActions ask={ask} answering={answering} onSubmit={submit} />}
    >
      <div ref={fieldList} className="flex flex-col gap-3.5">
        {form && <AgentSays text={form.message} who={formSpeaker(ask)} />}
        {form?.url !== undefined && <UrlText url={form.url} maxHeight="none" />}
        {fields.map((field) => (
          <div key={field.name} data-field={field.name} className="sm:max-w-md">
            <FormField
              field={field}
              value={values.get(field.name) ?? ''}
              error={shownErrors?.get(field.name)}
              off={off}
              onChange={(value) => !off && setValues((before) => new Map(before).set(field.name, value))}
            />
          </div>
        ))}
        <p role="status" className="text-[13px] text-deny empty:hidden">
          {shownErrors && shownErrors.size > 0 ? problems(shownErrors.size) : ''}
        </p>
      </div>
    </AnswerFrame>
  )
}

const FOCUSABLE = 'input, select, textarea'

function problems(count: number): string {
  return count === 1 ? 'One field is not valid.' : `${count} fields are not valid.`
}
