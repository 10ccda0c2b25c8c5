/** A pause in a circle: the point where work holds. */
export function BrandMark({ className = 'size-5' }: { className?: string }) {
  return (
    <svg aria-hidden viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeLinecap="round" className={className}>
      <circle cx="10" cy="10" r="8.25" strokeWidth="1.75" />
      <path d="M7.75 7v6M12.25 7v6" strokeWidth="2.25" />
    </svg>
  )
}
