import { VisibleText } from '../text/visible-text.tsx'

/** A reason of the policy: what stands between backticks is a rule, or a part of the call. */
export function ReasonText({ text }: { text: string }) {
  return text.split('`').map((piece, place) => {
    const isCode = place % 2 === 1
    const look = isCode ? 'font-mono text-xs' : ''
    return <VisibleText key={place} text={piece} code={isCode} className={look} />
  })
}
