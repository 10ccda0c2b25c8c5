/** Marks beyond these on one letter only make a blot. */
const MARKS_LIMIT = 4
const ORDINARY = /^[\x20-\x7E\u00A1-\u00AC\u00AE-\u00FF\u2500-\u259F]$/
const MARK = /^\p{M}$/u
/** Parts of emoji, which are drawn without them: nothing that a reader would miss. */
const EMOJI_PART = /^[\u{200D}\u{FE0E}\u{FE0F}\u{1F3FB}-\u{1F3FF}]$/u
/** Among cells that are all as wide, one kind of blank is as good as another; programs draw with several. */
const BLANK_LIKE = /^[\p{Zs}\u{2800}]$/u
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{FFFC}]/u
const REPLACEMENT = '\u{FFFD}'

export interface CellText {
  readonly text: string
  /** As wide as every other character, whatever the font: it can stand in one piece of text with its neighbours. */
  readonly isOrdinary: boolean
  /** Something was in this cell that cannot be seen, or that would change how its neighbours are drawn. */
  readonly hides: boolean
}

const BLANK: CellText = { text: ' ', isOrdinary: true, hides: false }

/** What is drawn for a cell: nothing that reorders, joins or reaches beyond the cell gets into the page (T24). */
export function cellText(characters: string): CellText {
  if (characters === '' || BLANK_LIKE.test(characters)) return BLANK
  if (ORDINARY.test(characters)) return { text: characters, isOrdinary: true, hides: false }
  const [first = ' ', ...rest] = characters
  const base = BLANK_LIKE.test(first) ? ' ' : first
  let hides = UNSEEN.test(base)
  let text = hides ? REPLACEMENT : base
  let marks = 0
  for (const character of rest) {
    if (EMOJI_PART.test(character)) continue
    if (MARK.test(character) && !UNSEEN.test(character) && marks < MARKS_LIMIT) {
      text += character
      marks += 1
    } else hides = true
  }
  return { text, isOrdinary: false, hides }
}
