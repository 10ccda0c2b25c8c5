import { render } from '@holdpoint/core/text/visible-text'
import { Folder, FolderInput, FolderX } from 'lucide-react'
import { useState } from 'react'
import { VisibleText } from '../text/visible-text.tsx'
import { folderName } from './heading.ts'

export interface CallFolderProps {
  /** The folder that the call is made in; left out where it is unknown. */
  readonly cwd: string | undefined
  /** The session's own, where it is known. */
  readonly sessionCwd?: string | undefined
}

/**
 * The folder of a call. Short, and whole on a press, only where it is known to be the session's: of any other folder the
 * last parts could be those of the one that somebody expects (T62).
 */
export function CallFolder({ cwd, sessionCwd }: CallFolderProps) {
  const [isWhole, setWhole] = useState(false)
  if (cwd === undefined) {
    return (
      <span className="flex min-w-0 items-center gap-1 font-medium text-wait">
        <FolderX aria-hidden className="size-3.5 shrink-0" />
        Folder unknown
      </span>
    )
  }
  if (sessionCwd === undefined) {
    return (
      <span className="flex min-w-0 basis-full items-start gap-1">
        <span className="sr-only">Folder: </span>
        <Folder aria-hidden className="mt-0.75 size-3.5 shrink-0 text-faint" />
        <VisibleText text={cwd} code className="min-w-0 font-mono text-xs leading-5" />
      </span>
    )
  }
  if (sessionCwd !== cwd) {
    return (
      <span className="flex min-w-0 basis-full items-start gap-1 text-wait">
        <FolderInput aria-hidden className="mt-0.75 size-3.5 shrink-0" />
        <span className="min-w-0">
          <VisibleText text={cwd} code className="font-mono text-xs font-medium" />{' '}
          <span className="whitespace-nowrap">not the session’s folder</span>
        </span>
      </span>
    )
  }
  return (
    <button
      type="button"
      aria-expanded={isWhole}
      title={isWhole ? undefined : render(cwd)}
      onClick={() => setWhole(!isWhole)}
      className={`flex min-h-11 min-w-0 items-center gap-1 rounded text-left hover:text-ink focus-visible:outline-2 focus-visible:outline-accent pointer-fine:my-0 pointer-fine:min-h-0 ${isWhole ? 'basis-full' : '-my-3'}`}
    >
      <span className="sr-only">Folder: </span>
      <Folder aria-hidden className="size-3.5 shrink-0 text-faint" />
      {isWhole ? (
        <VisibleText text={cwd} code className="min-w-0 font-mono text-xs leading-5" />
      ) : (
        <VisibleText text={folderName(cwd)} code className="truncate" />
      )}
    </button>
  )
}
