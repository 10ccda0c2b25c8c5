import { type DragEvent, type ReactNode, useState } from 'react'

interface DropPaneProps {
  /** What takes files, if anything does now. */
  attach(): ((files: Iterable<File>) => void) | undefined
  readonly className: string
  readonly children: ReactNode
}

/** All of a page as the place where files can be dropped. Texts that are dragged go where they are let go. */
export function DropPane({ attach, className, children }: DropPaneProps) {
  const [isOver, setIsOver] = useState(false)

  function onDragOver(event: DragEvent) {
    if (!hasFiles(event)) return
    // Also where nobody can write: a browser would leave the page and open the file.
    event.preventDefault()
    const canTake = attach() !== undefined
    event.dataTransfer.dropEffect = canTake ? 'copy' : 'none'
    setIsOver(canTake)
  }
  function onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setIsOver(false)
  }
  function onDrop(event: DragEvent) {
    setIsOver(false)
    if (!hasFiles(event)) return
    event.preventDefault()
    attach()?.(event.dataTransfer.files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button of the message box does the same without a pointer.
    <div className={className} onDragOver={onDragOver} onDragLeave={onDragLeave} onDrop={onDrop}>
      {children}
      {isOver && (
        <div className="pointer-events-none absolute inset-2 z-3 flex items-center justify-center rounded-2xl border-2 border-accent border-dashed bg-accent-bg/85">
          <p className="rounded-lg bg-card px-4 py-2 text-sm font-medium text-ink shadow-lift">
            Drop files to attach them
          </p>
        </div>
      )}
    </div>
  )
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files')
}
