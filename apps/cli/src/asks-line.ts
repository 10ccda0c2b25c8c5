import { MANY_OPEN_ASKS } from '@holdpoint/core/open-room'

/** How many asks are open, for `holdpoint status`. */
export function asksLine(open: number): string {
  const line = `Asks      ${open} open`
  if (open === 0) return line
  const many = open > MANY_OPEN_ASKS ? `, more than the ${MANY_OPEN_ASKS} that a gateway is made for` : ''
  return `${line}${many} (see them with "holdpoint asks")`
}
