import { render } from '@holdpoint/core/text/visible-text'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Spinner } from '@holdpoint/react/ui/button'
import type { AttachmentId } from '@holdpoint/schema/id'
import { FileText, X } from 'lucide-react'
import { useAttachment } from './use-attachment.ts'
import type { Attachments } from './use-attachments.ts'

export function AttachmentChips({ attachments }: { attachments: Attachments }) {
  const { attached, failures, remove } = attachments
  return (
    <>
      {attached.length > 0 && (
        <ul aria-label="Attachments" className="flex flex-wrap gap-2">
          {attached.map(({ key, name, type, id }) => (
            <li
              key={key}
              className="flex h-11 max-w-52 items-center gap-2 rounded-lg border border-line bg-card pl-1.5 text-xs"
            >
              <span className="flex size-8 shrink-0 items-center justify-center overflow-hidden rounded bg-panel text-quiet">
                {id === undefined ? (
                  <Spinner />
                ) : type.startsWith('image/') ? (
                  <Picture id={id} />
                ) : (
                  <FileText aria-hidden className="size-4" />
                )}
              </span>
              <span className="min-w-0 truncate">
                <VisibleText text={name} code />
              </span>
              <button
                type="button"
                aria-label={`Remove ${render(name)}`}
                onClick={() => remove(key)}
                className="flex size-10 shrink-0 items-center justify-center rounded-lg text-quiet hover:text-ink focus-visible:outline-2 focus-visible:outline-accent"
              >
                <X aria-hidden className="size-4" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {failures.length > 0 && (
        <ul role="alert" className="text-[13px] text-deny">
          {failures.map((failure) => (
            <li key={failure}>
              <VisibleText text={failure} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Picture({ id }: { id: AttachmentId }) {
  const attachment = useAttachment(id)
  return attachment && <img src={attachment.url} alt="" className="size-full object-cover" />
}
