/** Where a link leads, if a person may be sent there. */
export interface LinkTarget {
  readonly href: string
  /** What the link's text does not say: the host or the address of a mail, or the whole target where that is asked for. */
  readonly unsaid: string | undefined
}

/** Undefined for anything but web pages and mail: it is shown as text then. */
export function linkTarget(target: string, text: string, whole = false): LinkTarget | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(target) || !URL.canParse(target)) return undefined
  const url = new URL(target)
  const place = url.protocol === 'mailto:' ? url.pathname : url.host
  if (place === '') return undefined
  const said = text.trim()
  if (whole) return { href: url.href, unsaid: isSaid(target, text) ? undefined : target }
  // A name before the host (`https://github.com@example.org`) is there to be taken for it.
  const saidAll = url.username === '' && (said === target || said === url.href || said === place)
  return { href: url.href, unsaid: saidAll ? undefined : place }
}

/** Whether a link's text is its target: a mail address, or a page with or without its scheme, made a link as it stood. */
export function isSaid(target: string, text: string): boolean {
  const said = text.trim()
  return said === target || target === `mailto:${said}` || target === `http://${said}`
}
