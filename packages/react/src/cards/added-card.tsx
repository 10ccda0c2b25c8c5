import { checkFormContent } from '@holdpoint/core/form-content'
import { useCallback, useMemo, useState } from 'react'
import type { CardEntry, FormValue, QuestionValue } from '../providers/cards-provider.tsx'
import { stringsIn } from '../text/strings-in.ts'
import { AgentSays, formSpeaker } from './agent-says.tsx'
import { AnswerFrame, useCardAnswering } from './answer-frame.tsx'
import type { OpenCardProps } from './card-frame.tsx'
import { FormActions } from './form-actions.tsx'
import { QuestionActions } from './question-actions.tsx'
import { questionTexts } from './question-texts.ts'

/** An open card whose content is an app's own component. All protection of a press is in this frame. */
export function AddedCard({ entry, card }: { entry: CardEntry; card: OpenCardProps }) {
  return entry.kind === 'form' ? (
    <AddedFormCard Card={entry.Card} card={card} />
  ) : (
    <AddedQuestionCard Card={entry.Card} card={card} />
  )
}

interface AddedProps<Kind extends CardEntry['kind']> {
  readonly Card: Extract<CardEntry, { kind: Kind }>['Card']
  readonly card: OpenCardProps
}

function AddedFormCard({ Card, card }: AddedProps<'form'>) {
  const { ask } = card
  const { form } = ask
  const answering = useCardAnswering(card)
  const [value, onChange] = useValue<FormValue>(answering.off)
  const texts = useMemo(() => [form?.message ?? '', form?.url ?? '', ...stringsIn(form?.schema)], [form])
  const problems = value && form ? checkFormContent(form, value) : []
  const unready = value === undefined || problems.length > 0

  function submit() {
    if (!unready) answering.send({ kind: 'submit', digest: ask.digest, content: { ...value } })
  }
  return (
    <AnswerFrame
      card={card}
      answering={answering}
      texts={texts}
      onSubmitKey={submit}
      actions={<FormActions ask={ask} answering={answering} unready={unready} onSubmit={submit} />}
    >
      {form && <AgentSays text={form.message} who={formSpeaker(ask)} />}
      <Card ask={ask} session={card.session} value={value} off={answering.off} onChange={onChange} />
      <p role="status" className="text-[13px] text-deny empty:hidden">
        {problems.join('; ')}
      </p>
    </AnswerFrame>
  )
}

function AddedQuestionCard({ Card, card }: AddedProps<'question'>) {
  const { ask } = card
  const answering = useCardAnswering(card)
  const [value, onChange] = useValue<QuestionValue>(answering.off)
  const texts = useMemo(() => questionTexts(ask), [ask])
  const unready = value === undefined || value.length < (ask.questions?.length ?? 0)

  function submit() {
    if (!unready) answering.send({ kind: 'answer', digest: ask.digest, answers: [...value] })
  }
  return (
    <AnswerFrame
      card={card}
      answering={answering}
      texts={texts}
      onSubmitKey={submit}
      actions={<QuestionActions ask={ask} answering={answering} unready={unready} onSubmit={submit} />}
    >
      <Card ask={ask} session={card.session} value={value} off={answering.off} onChange={onChange} />
    </AnswerFrame>
  )
}

/** The setter stays the same from one rendering to the next, so that effects can depend on it. */
function useValue<Value>(off: boolean) {
  const [value, setValue] = useState<Value>()
  const onChange = useCallback(
    (next: Value | undefined) => {
      if (!off) setValue(() => next)
    },
    [off],
  )
  return [value, onChange] as const
}
