import { fieldsOf } from '@holdpoint/core/form-fields'
import type { Answer } from '@holdpoint/schema/answer'
import { ExternalLink } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { ArmedButton, keyDecides, useArming } from '../arming.tsx'
import { stringsIn } from '../text/strings-in.ts'
import { EscapeWarning } from '../visible-text.tsx'
import { ActionRow, Spacer, WIDE_ON_PHONE } from './action-row.tsx'
import { AgentSays } from './agent-says.tsx'
import { AnswerStatus } from './answer-status.tsx'
import { CardFrame, type OpenCardProps } from './card-frame.tsx'
import { contentOf } from './form-content.ts'
import { FormField } from './form-field.tsx'
import { type FieldValue, initialValues } from './form-values.ts'
import { UrlText } from './url-text.tsx'

/** What an MCP server wants filled in, or a link that it wants opened. */
export function FormCard(card: OpenCardProps) {
  const { ask, state } = card
  const { form } = ask
  const arming = useArming(`${ask.id} ${ask.digest}`)
  const fields = useMemo(() => (form?.mode === 'form' ? fieldsOf(form.schema) : []), [form])
  const texts = useMemo(() => [form?.message ?? '', form?.url ?? '', ...stringsIn(form?.schema)], [form])
  const [values, setValues] = useState<ReadonlyMap<string, FieldValue>>(() => initialValues(form?.schema))
  const [tried, setTried] = useState(false)
  const fieldList = useRef<HTMLDivElement>(null)

  const { content, errors } = contentOf(fields, values)
  const sent = state.kind === 'submitting' ? state.answer : undefined
  const off = card.blocked !== undefined || sent !== undefined
  const frozen = card.session?.frozen === true

  function send(answer: Answer) {
    if (!sent) card.onAnswer(ask, answer)
  }
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
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!off && !frozen && keyDecides(arming, event)) submit()
  }

  const shownErrors = tried ? errors : undefined
  return (
    <CardFrame card={card} arming={arming} onKey={() => {}}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+Enter is a key of the fields inside. */}
      <div ref={fieldList} onKeyDown={onKeyDown} className="flex flex-col gap-3.5 px-4">
        {form && <AgentSays text={form.message} who="the server says" />}
        {form?.url !== undefined && <UrlText url={form.url} />}
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
        <EscapeWarning texts={texts} />
        <p role="status" className="text-[13px] text-deny empty:hidden">
          {shownErrors && shownErrors.size > 0 ? problems(shownErrors.size) : ''}
        </p>
      </div>
      <AnswerStatus card={card} />
      <ActionRow arming={arming}>
        <ArmedButton
          variant="quiet"
          off={off && sent?.kind !== 'cancel'}
          busy={sent?.kind === 'cancel'}
          onPress={() => send({ kind: 'cancel', digest: ask.digest })}
        >
          Cancel
        </ArmedButton>
        <ArmedButton
          variant="deny"
          off={off && sent?.kind !== 'decline'}
          busy={sent?.kind === 'decline'}
          onPress={() => send({ kind: 'decline', digest: ask.digest })}
          className={WIDE_ON_PHONE}
        >
          Decline
        </ArmedButton>
        <Spacer />
        {form?.mode === 'url' && isWebAddress(form.url) && (
          <ArmedButton
            icon={ExternalLink}
            off={off || frozen}
            onPress={() => window.open(form.url, '_blank', 'noopener,noreferrer')}
            className={WIDE_ON_PHONE}
          >
            Open
          </ArmedButton>
        )}
        <ArmedButton
          variant="primary"
          off={(off || frozen) && sent?.kind !== 'submit'}
          busy={sent?.kind === 'submit'}
          onPress={submit}
          className={WIDE_ON_PHONE}
        >
          {form?.mode === 'url' ? 'Done' : 'Submit'}
        </ArmedButton>
      </ActionRow>
    </CardFrame>
  )
}

const FOCUSABLE = 'input, select, textarea'

function problems(count: number): string {
  return count === 1 ? 'One field needs another look.' : `${count} fields need another look.`
}

/** Only the web's own addresses can be opened; anything else stays text. */
function isWebAddress(url: string | undefined): boolean {
  return url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}
