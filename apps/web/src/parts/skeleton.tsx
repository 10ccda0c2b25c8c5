/** The shape of what is coming, so that nothing jumps when it is there. */
export function Skeleton({ rows = 3, className = 'h-16' }: { rows?: number; className?: string }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={`animate-pulse rounded-xl bg-panel motion-reduce:animate-none ${className}`} />
      ))}
    </div>
  )
}
