import { useLink } from '@holdpoint/react/hooks/use-link'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { Session } from '@holdpoint/schema/session'
import { ArrowUp, Trash2 } from 'lucide-react'
import { useCommand } from '../parts/use-command.ts'
import { count } from '../text/count.ts'
import { messageOf, nameOf } from './comment-text.ts'
import type { Comments } from './use-comments.ts'

/** The comments that are not sent yet. They go as one message, like any other. */
export function CommentBar({ session, comments }: { session: Session; comments: Comments }) {
  const client = useClient()
  const { state: link } = useLink()
  const sending = useCommand()
  const { all } = comments
  async function send() {
    // What was added while it was under way stays.
    if (await sending.run(client.sendMessage(session.id, { text: messageOf(all) }))) comments.remove(all)
  }
  if (all.length === 0) return null
  return (
    <section aria-label="Comments" className="grid shrink-0 gap-2 border-t border-line bg-panel px-3 py-2 desk:px-4">
      <ul className="max-h-40 overflow-auto text-sm">
        {all.map((one) => (
          <li key={one.id} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate">
              <span className="font-mono text-[12.5px] text-quiet">{nameOf(one)}</span>{' '}
              <VisibleText text={one.comment} />
            </span>
            <IconButton
              icon={Trash2}
              label={`Remove the comment on ${nameOf(one)}`}
              onClick={() => comments.remove([one])}
            />
          </li>
        ))}
      </ul>
      {sending.failure && (
        <p role="alert" className="text-sm text-deny">
          {sending.failure}
        </p>
      )}
      <div>
        <Button
          variant="primary"
          icon={ArrowUp}
          busy={sending.busy}
          off={link !== 'live'}
          why="The gateway cannot be reached."
          onClick={() => void send()}
        >
          Send {count(all.length, 'comment')}
        </Button>
      </div>
    </section>
  )
}
