import { FileCheck2, FileQuestionMark, FileSymlink } from 'lucide-react'
import { VisibleText } from '../visible-text.tsx'
import type { ShownCall } from './approval-blocks.ts'
import { shortPath } from './heading.ts'

/**
 * The project's files that a command runs: they are part of what is allowed, and are looked at again at the answer. One
 * that is not there is watched as well, and named where the command names it. And where the file of an edit really is.
 */
export function CallFiles({ call: { files = [], filesUnknown, context } }: { call: ShownCall }) {
  const run = files.filter(
    ({ path, use, sha256 }) => use === 'runs' && (sha256 !== null || isNamed(path, context.command)),
  )
  const elsewhere = files.find(({ path, use }) => use === 'edits' && path !== context.filePath)
  if (run.length === 0 && !elsewhere && filesUnknown === undefined) return null
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
      {elsewhere && (
        <p className="flex items-start gap-1.5">
          <FileSymlink aria-hidden className="mt-0.75 size-3.5 shrink-0 text-wait" />
          <span className="min-w-0 wrap-anywhere">
            The file is really <VisibleText text={elsewhere.path} code className="font-mono text-xs text-ink" />: a
            folder in its path is a link.
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
