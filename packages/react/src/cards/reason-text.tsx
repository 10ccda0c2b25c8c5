import { piecesOf } from '@holdpoint/core/policy/in-code'
import { VisibleText } from '../text/visible-text.tsx'

/** A reason of the policy: what stands between backticks is a rule, or a part of the call. */
export function ReasonText({ text }: { text: string }) {
  return piecesOf(text).map((piece, place) => {
    const look = piece.isCode ? 'font-mono text-xs' : ''
    return <VisibleText key={place} text={piece.text} code={piece.isCode} className={look} />
  })
}
