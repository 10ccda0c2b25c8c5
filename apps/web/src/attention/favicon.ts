const SIZE = 64

/** The number of asks that wait, on the tab's icon and on the app's. */
export function showCount(waiting: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (link) {
    const drawn = waiting > 0 ? draw(waiting) : undefined
    link.type = drawn ? 'image/png' : 'image/svg+xml'
    link.href = drawn ?? '/favicon.svg'
  }
  // Only an installed app has a badge; others refuse.
  if ('setAppBadge' in navigator) navigator.setAppBadge(waiting).catch(() => {})
}

function draw(waiting: number): string | undefined {
  const canvas = document.createElement('canvas')
  canvas.width = SIZE
  canvas.height = SIZE
  const context = canvas.getContext('2d')
  if (!context) return undefined
  context.fillStyle = '#b45309'
  context.beginPath()
  context.arc(SIZE / 2, SIZE / 2, SIZE / 2, 0, 2 * Math.PI)
  context.fill()
  context.fillStyle = '#ffffff'
  context.font = `bold ${waiting > 9 ? 34 : 44}px system-ui, sans-serif`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(waiting > 99 ? '99' : String(waiting), SIZE / 2, SIZE / 2 + 3)
  return canvas.toDataURL('image/png')
}
