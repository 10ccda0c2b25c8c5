import { VisibleText } from '@holdpoint/react/text/visible-text'
import { useEffect, useRef } from 'react'
import type { Completion, CompletionOption } from './use-completion.ts'

/** What may be meant at the cursor, above the box. The focus stays in the box. */
export function CompletionList({
  completion,
  onPick,
}: {
  completion: Completion
  onPick(option: CompletionOption): void
}) {
  const { id, completing, options, at, isPartial, optionId } = completion
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    <div className="absolute inset-x-0 bottom-full z-2 mb-1.5 overflow-hidden rounded-xl border border-line bg-card shadow-lift">
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={completing?.kind === 'command' ? 'Commands of the agent' : 'Files'}
        className="max-h-[min(40dvh,20rem)] overflow-y-auto overscroll-contain p-1"
      >
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box has the focus, and the keys.
          <div
            key={option.key}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            aria-disabled={option.inserts === undefined || undefined}
            // The box keeps the focus, and with it the keyboard on the screen.
            onPointerDown={(event) => event.preventDefault()}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onPick(option)}
            className="flex min-h-11 cursor-pointer flex-col justify-center rounded-lg px-2.5 py-1.5 text-sm hover:bg-panel aria-disabled:cursor-default aria-selected:bg-accent-bg pointer-fine:min-h-9"
          >
            <span className="flex min-w-0 items-baseline gap-2">
              <VisibleText text={option.shown} code className="shrink-0 max-w-full font-mono text-[13px] text-ink" />
              {option.hint !== undefined && (
                <span className="min-w-0 truncate text-[13px] text-faint">
                  <VisibleText text={option.hint} />
                </span>
              )}
            </span>
            {option.why !== undefined ? (
              <span className="text-[13px] text-wait">{option.why}</span>
            ) : (
              option.description !== undefined && (
                <span className="line-clamp-1 text-[13px] text-quiet">
                  <VisibleText text={option.description} />
                </span>
              )
            )}
          </div>
        ))}
      </div>
      {isPartial && (
        <p className="border-t border-line px-3 py-1.5 text-[13px] text-quiet">
          This folder has more than was looked at. Type a path, such as src/, to see what is in it.
        </p>
      )}
    </div>
  )
}
