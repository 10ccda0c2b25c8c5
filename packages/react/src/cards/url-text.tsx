import { SeenRegion } from '../arming/seen-region.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { hostOf } from './heading.ts'

interface UrlTextProps {
  readonly url: string
  readonly maxHeight?: string
  onEndSeen?(): void
}

/** An address in full, its host first and in bold: the rest is easily dressed up as another one. */
export function UrlText({ url, maxHeight, onEndSeen }: UrlTextProps) {
  const host = hostOf(url)
  const hasUser = URL.canParse(url) && new URL(url).username !== ''
  return (
    <SeenRegion label="Address" content={url} maxHeight={maxHeight} onEndSeen={onEndSeen}>
      <div className="px-3 py-2">
        <p className="text-[13px] text-quiet">
          {host === undefined ? 'not a valid address' : <strong className="font-semibold text-ink">{host}</strong>}
          {hasUser && <span className="text-wait"> · the part before the @ is a user name, not the host</span>}
        </p>
        <VisibleText text={url} code className="block font-mono text-xs leading-5" />
      </div>
    </SeenRegion>
  )
}
