import { realPathOf } from '@holdpoint/core/call-facts'
import { FileCheck2, FileQuestionMark, FileSymlink } from 'lucide-react'
import { VisibleText } from '../text/visible-text.tsx'
import type { ShownCall } from './approval-blocks.ts'
import { shortPath } from './heading.ts'

/** Where the file of an edit really is: the path that the call names leads somewhere else. */
export function LinkLine({ call }: { call: ShownCall }) {
  const realPath = realPathOf(call)
  if (realPath === undefined) return null
  return (
    <p className="flex items-start gap-1.5 text-[13px] text-quiet">
      <FileSymlink aria-hidden className="mt-0.75 size-3.5 shrink-0 text-wait" />
      <span className="min-w-0 wrap-anywhere">
        This writes to <VisibleText text={realPath} code className="font-mono text-xs font-semibold text-ink" />. (A
        folder in the path is a symbolic link.)
      </span>
    </p>
  )
}

/**
 * The project's files that a command runs. They are part of what is allowed, and are checked again with the answer. A
 * file that does not exist yet is watched as well, and named where the command names it.
 */
export function CallFiles({ call: { files = [], filesUnknown, context } }: { call: ShownCall }) {
  const run = files.filter(
    ({ path, use, sha256 }) => use === 'runs' && (sha256 !== null || isNamed(path, context.command)),
  )
  if (run.length === 0 && filesUnknown === undefined) return null
  return (
    <div className="flex flex-col gap-1 text-[13px] text-quiet">
      {run.length > 0 && (
        <p className="flex items-start gap-1.5">
          <FileCheck2 aria-hidden className="mt-0.75 size-3.5 shrink-0 text-faint" />
          <span className="min-w-0">
            Runs{' '}
            {run.map(({ path, sha256 }, index) => (
              <span key={path}>
                {index > 0 && ', '}
                <VisibleText text={shortPath(path, context.cwd)} code className="font-mono text-xs text-ink" />
                {sha256 === null && <span className="text-wait"> (no such file yet)</span>}
              </span>
            ))}
            {run.length === 1
              ? '. If it changes before you answer, you are asked again. Files that it loads are not checked.'
              : '. If one of them changes before you answer, you are asked again. Files that they load are not checked.'}
          </span>
        </p>
      )}
      {filesUnknown !== undefined && (
        <p className="flex items-start gap-1.5">
          <FileQuestionMark aria-hidden className="mt-0.75 size-3.5 shrink-0 text-wait" />
          <span className="min-w-0 wrap-anywhere">
            <VisibleText text={filesUnknown} />
          </span>
        </p>
      )}
    </div>
  )
}

/** What `make` or `npm` would take first, if it were there, is in no word of the command. */
function isNamed(path: string, command: string | undefined): boolean {
  return command?.includes(path.split('/').at(-1) ?? '') ?? true
}
