import { MachineName } from '@holdpoint/react/cards/machine-name'
import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import { CodeBlock } from '@holdpoint/react/text/code-block'
import { languageOfFile } from '@holdpoint/react/text/language'
import { EscapeWarning, VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog } from '@holdpoint/react/ui/dialog'
import type { FolderTrust } from '@holdpoint/schema/endpoints/folders'

export interface TrustDialogProps {
  readonly open: boolean
  readonly folder: string
  /** Where it is, where there are several machines. */
  readonly machine?: KnownMachine | undefined
  readonly trust?: FolderTrust | undefined
  /** What is done beside it: start a session, or nothing. */
  readonly starts: boolean
  onClose(): void
  onChoose(trust: boolean): void
}

/** Asked once for each folder, and again when it has changed, before anything in it can act. */
export function TrustDialog({ open, folder, machine, trust, starts, onClose, onChoose }: TrustDialogProps) {
  const hasChanged = trust?.state === 'changed'
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={hasChanged ? 'Trust this folder again?' : 'Trust this folder?'}
      footer={
        <>
          <Button onClick={() => onChoose(true)}>{starts ? 'Trust and start' : 'Trust'}</Button>
          <Button variant="primary" onClick={() => onChoose(false)}>
            {starts ? 'Start without trusting' : 'Do not trust'}
          </Button>
        </>
      }
    >
      <p className="mb-3 rounded-lg border border-line bg-code px-3 py-2 font-mono text-xs wrap-anywhere">
        <VisibleText text={folder} code />
        {machine && <MachineName machine={machine} className="mt-1 flex font-sans text-quiet" />}
      </p>
      {trust?.reason !== undefined && <p className="mb-3 text-sm font-medium">{trust.reason}</p>}
      <p className="text-sm">
        Trusting it loads the folder’s own settings, hooks and MCP servers, which can run commands without asking you.
        Without that, the agent still works here, with your own settings only, and rules that allow git commands have no
        effect. Trust ends when such a file is added or changes. Files that they load are not watched.
      </p>
      {trust && <TrustedFiles files={trust.files} />}
      {trust?.unwatched && <Unwatched unwatched={trust.unwatched} />}
    </Dialog>
  )
}

function Unwatched({ unwatched }: Pick<Required<FolderTrust>, 'unwatched'>) {
  return (
    <section className="mt-3 rounded-lg border border-line px-3 py-2 text-sm">
      <h3 className="font-medium text-deny">
        Holdpoint cannot tell which files these commands run, and will not notice when they change:
      </h3>
      <ul aria-label="Not watched" className="mt-2 flex flex-col gap-2">
        {unwatched.map(({ what, why }) => (
          <li key={`${what} ${why}`}>
            <code className="font-mono text-xs">
              <VisibleText text={what} multiline code />
            </code>
            <p className="text-xs text-quiet">
              <VisibleText text={why} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What the folder brings along, what has changed first. */
function TrustedFiles({ files }: Pick<FolderTrust, 'files'>) {
  if (files.length === 0) return <p className="mt-3 text-sm text-quiet">There are no such files in it at the moment.</p>
  const sorted = [...files].sort((one, other) => Number(!one.change) - Number(!other.change))
  return (
    <ul aria-label="Files that can run commands" className="mt-3 flex flex-col gap-1">
      {sorted.map(({ path, change, text }) => (
        <li key={path}>
          <details open={change !== undefined} className="rounded-lg border border-line px-3 open:pb-3">
            <summary className="cursor-pointer py-3.5 font-mono pointer-fine:py-2 text-xs wrap-anywhere">
              <VisibleText text={path} code />
              {change && <span className="ml-2 font-sans text-deny">{change}</span>}
            </summary>
            {text === undefined ? (
              <p className="text-xs text-quiet">
                {change === 'removed' ? 'It no longer exists.' : 'It is not text, or it is too long to show here.'}
              </p>
            ) : (
              <div className="flex flex-col gap-2">
                <CodeBlock text={text} label={path} language={languageOfFile(path)} maxHeight="16rem" />
                <EscapeWarning texts={[text]} />
              </div>
            )}
          </details>
        </li>
      ))}
    </ul>
  )
}
