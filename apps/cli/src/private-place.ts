import { InvalidArgumentError } from 'commander'

/** `host:port`, in the one spelling that an address on the web has after it was read. */
export function privatePlace(place: string, earlier: readonly string[] = []): readonly string[] {
  const [, host = '', port = ''] = /^([^/?#@\\\s*,]+):(\d{1,5})$/.exec(place) ?? []
  const url = `http://${host}`
  const isPort = Number(port) >= 1 && Number(port) <= 65_535
  if (!isPort || !URL.canParse(url) || new URL(url).port !== '') {
    throw new InvalidArgumentError('expected a host and a port, as in "ntfy.home:8080" or "[::1]:9000"')
  }
  return [...earlier, `${new URL(url).hostname}:${Number(port)}`]
}

/** Several, with commas between them. */
export function privatePlaces(places: string): readonly string[] {
  return places.split(',').reduce<readonly string[]>((all, place) => privatePlace(place.trim(), all), [])
}
