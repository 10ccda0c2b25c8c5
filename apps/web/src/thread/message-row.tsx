import { Markdown } from '@holdpoint/react/text/markdown'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { AttachmentId } from '@holdpoint/schema/id'
import type { MessageItem } from '@holdpoint/schema/item'
import { FileText } from 'lucide-react'
import { useAttachment } from '../attachments/use-attachment.ts'

export function MessageRow({ item }: { item: MessageItem }) {
  if (item.role === 'assistant') return <Markdown text={item.text} />
  return (
    <div className="flex justify-end">
      <div className="max-w-[88%] rounded-2xl rounded-br-md bg-accent-bg px-4 py-2.5">
        <p className="text-sm leading-relaxed whitespace-pre-wrap wrap-anywhere">
          <VisibleText text={item.text} multiline />
        </p>
        {item.attachments && item.attachments.length > 0 && (
          <ul className="mt-2 flex flex-wrap gap-2">
            {item.attachments.map((id) => (
              <li key={id}>
                <AttachmentThumbnail id={id} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

/** A picture, or the sign of a file where it is none. A picture opens in a tab of its own, anything else is saved. */
function AttachmentThumbnail({ id, className = 'size-20' }: { id: AttachmentId; className?: string }) {
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
