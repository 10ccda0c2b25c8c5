import type { AttachmentId } from '@holdpoint/schema/id'
import { FileText } from 'lucide-react'
import { useAttachment } from '../attachments/use-attachment.ts'

interface AttachedFilesProps {
  readonly ids: readonly AttachmentId[] | undefined
  /** How large each is shown. */
  readonly className: string
}

export function AttachedFiles({ ids = [], className }: AttachedFilesProps) {
  if (ids.length === 0) return null
  return (
    <ul className="mt-2 flex flex-wrap gap-2">
      {ids.map((id) => (
        <li key={id}>
          <AttachmentThumbnail id={id} className={className} />
        </li>
      ))}
    </ul>
  )
}

/** A picture, or the sign of a file where it is none. A picture opens in a tab of its own, anything else is saved. */
function AttachmentThumbnail({ id, className }: { id: AttachmentId; className: string }) {
  const attachment = useAttachment(id)
  const isPicture = attachment?.isPicture === true
  return (
    <a
      href={attachment?.url}
      {...(isPicture ? { target: '_blank', rel: 'noreferrer noopener' } : { download: true })}
      aria-label="Open the attachment"
      className={`flex items-center justify-center overflow-hidden rounded-lg border border-line bg-card focus-visible:outline-2 focus-visible:outline-accent ${className}`}
    >
      {isPicture ? (
        <img src={attachment.url} alt="" className="size-full object-cover" />
      ) : (
        <FileText aria-hidden className="size-6 text-quiet" />
      )}
    </a>
  )
}
