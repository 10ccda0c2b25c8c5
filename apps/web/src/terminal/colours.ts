import type { IBufferCell } from '@xterm/headless'

/** `0xrrggbb`. */
export type Colour = number

/** Dark in either theme: programs choose their colours for a dark ground. */
export const GROUND: Colour = 0x0d0f13
export const INK: Colour = 0xe4e7ee
const WHITE: Colour = 0xffffff
const BLACK: Colour = 0x000000

/** The eight that grounds are made of are dark enough for white text; as text, `readable` lightens them. */
const BASIC: readonly Colour[] = [
  0x1b1f27, 0xcd3a54, 0x1f8f5a, 0xa87a12, 0x3b6fe0, 0xa04fc2, 0x158799, 0xd5d9e2, 0x7d8696, 0xff93a8, 0x86e5ab,
  0xf5d68a, 0xa5c0ff, 0xe0b6f7, 0x8be0ec, 0xffffff,
]
const CUBE_STEPS: readonly number[] = [0, 95, 135, 175, 215, 255]
const CUBE_FROM = 16
const GREYS_FROM = 232

const LEAST_CONTRAST = 4.5
const BLENDS = 10
/** Programs that draw rainbows make many pairs; this many are worth remembering. */
const KNOWN_LIMIT = 4096
const known = new Map<number, Colour>()

export interface CellColours {
  readonly ink: Colour
  readonly ground: Colour
}

/** What a cell is drawn with: always readable, so that nothing is written in the colour of its ground. */
export function cellColours(cell: IBufferCell): CellColours {
  const isInverse = cell.isInverse() !== 0
  const ink = cell.isFgDefault() ? INK : cell.isFgRGB() ? cell.getFgColor() : palette(inkIndex(cell))
  const ground = cell.isBgDefault() ? GROUND : cell.isBgRGB() ? cell.getBgColor() : palette(cell.getBgColor())
  const [above, below] = isInverse ? [ground, ink] : [ink, ground]
  return { ink: readable(cell.isDim() ? blend(above, below, 0.4) : above, below), ground: below }
}

/** Bold makes the eight basic colours bright, as in most terminals. */
function inkIndex(cell: IBufferCell): number {
  const index = cell.getFgColor()
  return cell.isBold() && index < 8 ? index + 8 : index
}

function palette(index: number): Colour {
  if (index < CUBE_FROM) return BASIC[index] ?? INK
  if (index >= GREYS_FROM) return (8 + (index - GREYS_FROM) * 10) * 0x010101
  const at = index - CUBE_FROM
  const step = (place: number) => CUBE_STEPS[Math.floor(at / place) % 6] ?? 0
  return step(36) * 0x10000 + step(6) * 0x100 + step(1)
}

/** The colour itself, or the nearest towards white or black that can be read on this ground. */
function readable(colour: Colour, ground: Colour): Colour {
  const key = colour * 0x1000000 + ground
  const before = known.get(key)
  if (before !== undefined) return before
  const target = contrast(WHITE, ground) >= contrast(BLACK, ground) ? WHITE : BLACK
  let found = target
  for (let step = 0; step < BLENDS; step++) {
    const candidate = blend(colour, target, step / BLENDS)
    if (contrast(candidate, ground) < LEAST_CONTRAST) continue
    found = candidate
    break
  }
  if (known.size >= KNOWN_LIMIT) known.clear()
  known.set(key, found)
  return found
}

export function contrast(one: Colour, other: Colour): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

export function cssColour(colour: Colour): string {
  return `#${colour.toString(16).padStart(6, '0')}`
}

function blend(from: Colour, to: Colour, part: number): Colour {
  const channel = (shift: number) => {
    const [a, b] = [(from >> shift) & 0xff, (to >> shift) & 0xff]
    return Math.round(a + (b - a) * part) << shift
  }
  return channel(16) + channel(8) + channel(0)
}

/** Relative luminance as WCAG defines it. */
function luminance(colour: Colour): number {
  const channel = (shift: number) => {
    const value = ((colour >> shift) & 0xff) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}
