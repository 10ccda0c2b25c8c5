import { segments } from '@holdpoint/core/text/visible-text'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { SeenRegion } from '../arming/seen-region.tsx'
import { type ChangedWords, changedWords } from './changed-words.ts'
import { CodeBlock } from './code-block.tsx'
import { diffOf } from './diff-of.ts'
import { type ShownLine, SideRows, UnifiedRows } from './diff-rows.tsx'
import { MARKS_AT_ONCE, useGradual } from './gradual.tsx'
import { useHighlight } from './highlighted.tsx'
import { languageOfFile } from './language.ts'
import { lines } from './layout.ts'
import { emphasize, looksByLine } from './looks.ts'
import { rightToLeftRuns } from './right-to-left.ts'
import { type DiffLine, pairLines, parseUnifiedDiff, type UnifiedDiff } from './unified-diff.ts'
import { VisibleText } from './visible-text.tsx'

export interface DiffViewProps {
  /** Unified, of one file. What does not parse is shown as it is. */
  readonly diff: string
  readonly filePath: string
  /** The name that the same file has in the diff, where a link leads to it. */
  readonly realPath?: string | undefined
  /** Side by side; without it, when there is room. */
  readonly wide?: boolean
  readonly maxHeight?: string
  /** Called once when the end of the diff has been on screen. */
  onEndSeen?(): void
}

const WIDE_ENOUGH = 860
const LINES_IN_CHUNK = 200
const LINE_HEIGHT = 20
const LINES_AT_ONCE = 20_000
const COST_OF_MARK = 10

export function DiffView(props: DiffViewProps) {
  const parsed = useMemo(() => parseUnifiedDiff(props.diff), [props.diff])
  if (parsed) return <ParsedDiff {...props} parsed={parsed} />
  return (
    <div className="grid gap-1">
      <VisibleText text={props.filePath} code className="font-mono text-[12.5px]" />
      <CodeBlock
        text={props.diff}
        language="diff"
        label={`Changes to ${props.filePath}`}
        maxHeight={props.maxHeight}
        onEndSeen={props.onEndSeen}
      />
    </div>
  )
}

function ParsedDiff({ parsed, ...props }: DiffViewProps & { parsed: UnifiedDiff }) {
  const { diff, filePath, wide, maxHeight, onEndSeen } = props
  const part = nameOfPart(parsed, props)
  const shown = useShownLines(parsed, filePath)
  const lineCount = parsed.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const last = parsed.hunks.at(-1)?.lines.at(-1)
  const digits = String(Math.max(last?.oldNumber ?? 0, last?.newNumber ?? 0)).length
  return (
    <SeenRegion
      label={`Changes to ${filePath}`}
      content={diff}
      maxHeight={maxHeight}
      head={<DiffHead parsed={parsed} filePath={filePath} part={part} />}
      footer={lineCount > 20 && `${lineCount.toLocaleString('en')} lines`}
      onEndSeen={onEndSeen}
    >
      {parsed.hunks.length === 0 && <NoLines part={part} />}
      <Hunks parsed={parsed} shown={shown} digits={digits} wide={wide} />
    </SeenRegion>
  )
}

/** A part of a file, such as a cell, has more to it than its lines: its name says what becomes of it. */
function NoLines({ part }: { part: string | undefined }) {
  return (
    <p className="px-3 py-2 text-[13px] text-quiet">
      {part === undefined ? (
        'This changes nothing.'
      ) : (
        <>
          No line changes in <VisibleText text={part} code className="font-mono text-ink" />
        </>
      )}
    </p>
  )
}

/** What the diff calls its content, where that is not the file but, say, a cell of it. */
function nameOfPart({ newPath }: UnifiedDiff, { filePath, realPath }: DiffViewProps): string | undefined {
  return newPath === filePath || newPath === realPath || filePath.endsWith(`/${newPath}`) ? undefined : newPath
}

interface HunksProps {
  readonly parsed: UnifiedDiff
  readonly shown: readonly (readonly ShownLine[])[]
  readonly digits: number
  readonly wide: boolean | undefined
}

function Hunks({ parsed, shown, digits, wide }: HunksProps) {
  const box = useRef<HTMLDivElement>(null)
  const hasRoom = useRoom(box)
  const all = useMemo(() => shown.flat(), [shown])
  const { shown: drawn, more } = useGradual(all, { costOf: costOfLine, atOnce: LINES_AT_ONCE, unit: 'lines or marks' })
  const drawnHunks = useMemo(() => firstLines(shown, drawn.length), [shown, drawn])
  return (
    <div ref={box} dir="ltr" className="font-mono text-[12.5px] leading-5">
      {drawnHunks.map((lines, index) => (
        <div key={index}>
          <div className="border-y border-line bg-panel px-3 text-faint first:border-t-0 select-none">
            <VisibleText text={parsed.hunks[index]?.header ?? ''} code />
          </div>
          <HunkLines lines={lines} digits={digits} wide={wide ?? hasRoom} />
        </div>
      ))}
      {more}
    </div>
  )
}

/** A line, and each mark as much as a few: so no more than two thousand marks are drawn at once, as elsewhere. */
function costOfLine({ text, segments: parts }: ShownLine): number {
  const marks = Math.max(parts.length - 1, 0) + rightToLeftRuns(text)
  return 1 + COST_OF_MARK * Math.min(marks, MARKS_AT_ONCE / 2)
}

function firstLines(hunks: readonly (readonly ShownLine[])[], count: number): readonly (readonly ShownLine[])[] {
  const first: (readonly ShownLine[])[] = []
  let left = count
  for (const lines of hunks) {
    if (left <= 0) break
    first.push(lines.length <= left ? lines : lines.slice(0, left))
    left -= lines.length
  }
  return first
}

interface DiffHeadProps {
  readonly parsed: UnifiedDiff
  readonly filePath: string
  readonly part: string | undefined
}

function DiffHead({ parsed, filePath, part }: DiffHeadProps) {
  return (
    <>
      <VisibleText text={filePath} code className="min-w-0 font-mono text-ink" />
      {parsed.oldPath === '/dev/null' && <span className="text-quiet">new file</span>}
      {part !== undefined && (
        <span className="text-quiet">
          as <VisibleText text={part} code className="font-mono" />
        </span>
      )}
      <span className="ml-auto flex gap-2 font-mono tabular-nums">
        <span className="text-allow">
          <span className="sr-only">added </span>+{parsed.added}
        </span>
        <span className="text-deny">
          <span className="sr-only">removed </span>−{parsed.removed}
        </span>
      </span>
    </>
  )
}

function HunkLines({ lines: all, digits, wide }: { lines: readonly ShownLine[]; digits: number; wide: boolean }) {
  const chunks = useMemo(() => {
    return wide
      ? chunked(pairLines(all)).map((rows) => ({ size: rows.length, shown: <SideRows rows={rows} digits={digits} /> }))
      : chunked(all).map((rows) => ({ size: rows.length, shown: <UnifiedRows lines={rows} digits={digits} /> }))
  }, [all, wide, digits])
  return chunks.map(({ size, shown }, index) => (
    <div
      key={index}
      // A long diff is laid out only where it is in view.
      style={
        chunks.length > 1
          ? { contentVisibility: 'auto', containIntrinsicBlockSize: `auto ${size * LINE_HEIGHT}px` }
          : undefined
      }
    >
      {shown}
    </div>
  ))
}

function chunked<T>(all: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / LINES_IN_CHUNK)
  return Array.from({ length: count }, (_, index) => all.slice(index * LINES_IN_CHUNK, (index + 1) * LINES_IN_CHUNK))
}

/** The lines of each hunk with escapes, colours and the words that changed. */
function useShownLines(parsed: UnifiedDiff, filePath: string): readonly (readonly ShownLine[])[] {
  const language = languageOfFile(filePath)
  const all = useMemo(() => parsed.hunks.flatMap((hunk) => hunk.lines), [parsed])
  const oldText = useMemo(() => textOf(all, 'added'), [all])
  const newText = useMemo(() => textOf(all, 'removed'), [all])
  const oldLooks = useHighlight(oldText, language)
  const newLooks = useHighlight(newText, language)
  const words = useChangedWords(parsed)
  return useMemo(() => {
    const shownSegments = lines(segments(all.map((line) => line.text).join('\n'), { multiline: true }))
    const byLine = { old: looksByLine(oldText, oldLooks), new: looksByLine(newText, newLooks) }
    let at = 0
    let oldAt = 0
    let newAt = 0
    return parsed.hunks.map((hunk) =>
      hunk.lines.map((line): ShownLine => {
        const looks = line.kind === 'removed' ? byLine.old[oldAt] : byLine.new[newAt]
        if (line.kind !== 'added') oldAt++
        if (line.kind !== 'removed') newAt++
        const changed = words?.get(line) ?? trailingSpace(line)
        return { ...line, segments: shownSegments[at++] ?? [], looks: emphasize(looks ?? [], changed) }
      }),
    )
  }, [parsed, all, oldText, newText, oldLooks, newLooks, words])
}

function textOf(all: readonly DiffLine[], without: DiffLine['kind']): string {
  return all
    .filter((line) => line.kind !== without)
    .map((line) => line.text)
    .join('\n')
}

function trailingSpace(line: DiffLine) {
  const start = line.text.length - (/[ \t]+$/.exec(line.text)?.[0].length ?? 0)
  return line.kind !== 'same' && start < line.text.length ? [{ start, end: line.text.length }] : []
}

function useChangedWords(parsed: UnifiedDiff): ChangedWords | undefined {
  const [found, setFound] = useState<{ readonly parsed: UnifiedDiff; readonly words: ChangedWords }>()
  useEffect(() => {
    let gone = false
    changedWords(parsed).then(
      (words) => !gone && setFound({ parsed, words }),
      // Emphasis is a help, not content.
      () => undefined,
    )
    return () => {
      gone = true
    }
  }, [parsed])
  return found?.parsed === parsed ? found.words : undefined
}

function useRoom(box: RefObject<HTMLDivElement | null>): boolean {
  const [room, setRoom] = useState(false)
  useLayoutEffect(() => {
    const element = box.current
    if (!element || typeof ResizeObserver === 'undefined') return
    const measure = () => setRoom(element.clientWidth >= WIDE_ENOUGH)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return room
}

export interface EditDiffProps {
  readonly before: string
  readonly after: string
  readonly filePath?: string
}

/** What a person changed before answering. */
export function EditDiff({ before, after, filePath = 'your edit' }: EditDiffProps) {
  const [found, setFound] = useState<{ readonly before: string; readonly after: string; readonly diff?: string }>()
  useEffect(() => {
    let gone = false
    diffOf(before, after, filePath).then(
      (diff) => !gone && setFound({ before, after, diff }),
      () => !gone && setFound({ before, after }),
    )
    return () => {
      gone = true
    }
  }, [before, after, filePath])
  const diff = found?.before === before && found.after === after ? found.diff : undefined
  if (diff !== undefined) return <DiffView diff={diff} filePath={filePath} />
  return <CodeBlock text={after} label={filePath} />
}
