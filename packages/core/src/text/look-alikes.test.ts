import { expect, it } from 'vitest'
import { render, segments } from './visible-text.ts'

/**
 * Pairs of Unicode's own table of confusable characters (UTS 39), not of ours: the letter, then what it is taken for.
 * Those of each script that a reader of Latin letters takes for one.
 */
const CONFUSABLE: Readonly<Record<string, string>> = {
  Cyrillic: 'АAВBЕEЅSІIЈJКKМMНHОOРPСCТTХXаaеeоoрpсcхxѕsіiјjԁdһhԛqԝwѡwѵvгrьbуyүyӏlҮYԌGԚQԜWЬbЗ3б6',
  Greek: 'ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXαaγyιiνvοoρpσoυuςcϲcϳjϹCͿJϜFϺMϱp',
  Armenian: 'ՍUՏSՕOԼLհhոnսuօoցgզqյjաw',
  Cherokee: 'ᎪAᏴBᏟCᎠDᎬEᏀGᎻHᎫJᏦKᏞLᎷMᏢPᎡRᏚSᎢTᏙVᎳWᏃZᎥiᎩYᏒRᎶG',
  Coptic: 'ⲀAⲂBⲈEⲎHⲒIⲔKⲘMⲚNⲞOⲢPⲤCⲦTⲨYⲬXⲟoⲣpⲥcⲭx',
  Lisu: 'ꓐBꓑPꓓDꓖGꓗKꓙJꓚCꓝFꓟMꓠNꓡLꓢSꓣRꓦVꓧHꓪWꓫXꓬYꓮAꓰEꓲIꓳOꓴUꓔTꓜZ',
  Fullwidth: 'ＡAＢBＣCａaｂbｃcｅeｏoｐpｘx０0１1／/．.',
  Mathematical: '𝐀A𝐁B𝐚a𝐛b𝑎a𝒶a𝓪a𝔞a𝕒a𝖺a𝗮a𝘢a𝙖a𝚊a𝟎0𝟏1',
  Letterlike: 'ℂCℊgℍHℐIℒLℓlℕNℙPℚQℛRℝRℤZℯeℴo',
  Arabic: 'اlهo',
  Hebrew: 'סoוl',
  Others: 'ⅠIⅩXⅼlⅽcⅾdꓸ.႐oဝo〇0',
}

function pairsOf(text: string): readonly (readonly [string, string])[] {
  const characters = [...text]
  return characters.flatMap((letter, index) =>
    index % 2 === 0 ? [[letter, characters[index + 1] ?? ''] as const] : [],
  )
}

const PAIRS = Object.values(CONFUSABLE).flatMap(pairsOf)

it('T25: knows 200 pairs, each once', () => {
  expect(PAIRS.length).toBeGreaterThanOrEqual(200)
  expect(new Set(PAIRS.map(([letter]) => letter)).size).toBe(PAIRS.length)
  for (const [letter, sign] of PAIRS) expect([letter > '\x7f', sign.length]).toEqual([true, 1])
})

it.each([
  ['in the middle of a word', (letter: string) => `pay${letter}load.example`],
  ['at its start', (letter: string) => `${letter}dmin`],
  ['as a whole word', (letter: string) => `sudo ${letter}${letter}${letter}`],
  ['in a path', (letter: string) => `rm -rf /srv/b${letter}ckup`],
])('T25: marks every one of them %s, and nothing of the same word in plain letters', (_, word) => {
  const isMarked = (text: string, of: string) =>
    segments(text, { multiline: true }).some((part) => part.kind === 'escape' && part.source.includes(of))
  expect(PAIRS.filter(([letter]) => !isMarked(word(letter), letter)).map(([letter, sign]) => letter + sign)).toEqual([])
  for (const [, sign] of PAIRS) {
    expect(segments(word(sign), { multiline: true }).filter((part) => part.kind === 'escape')).toEqual([])
  }
})

it.each([
  ['two bars in one', 'cd build \u2016 exit', 'cd build ⟨U+2016⟩ exit'],
  ['a longer dash', 'make deploy \u2013n', 'make deploy ⟨U+2013⟩n'],
  ['signs of formulas', 'a \u226A b \u2A74 c', 'a ⟨U+226A⟩ b ⟨U+2A74⟩ c'],
  ['two dots', 'sh \u2025/build/deploy.sh', 'sh ⟨U+2025⟩/build/deploy.sh'],
  ['three dots', 'go test ./\u2026', 'go test ./⟨U+2026⟩'],
  ['two signs in one', 'sudo \u203C \u2047 \u2048 \u2049', 'sudo ⟨U+203C⟩ ⟨U+2047⟩ ⟨U+2048⟩ ⟨U+2049⟩'],
  ['two letters in one', 'node i\u01CCect.js a\u0133b', 'node i⟨U+01CC⟩ect.js a⟨U+0133⟩b'],
  ['a Greek letter of no living word', 'sh ./\u03DC\u0399\u03A7', 'sh ./⟨U+03DC⟩⟨U+0399⟩⟨U+03A7⟩'],
])('T25: marks %s in a command', (_, command, shown) => {
  expect(render(command, { multiline: true })).toBe(shown)
})

it('T25: marks every letter that is two letters of Latin in one', () => {
  const digraphs = [[0x132, 0x133], range(0x1c4, 0x1cc), range(0x1f1, 0x1f3)]
    .flat()
    .map((at) => String.fromCodePoint(at))
  expect(digraphs).toHaveLength(14)
  expect(digraphs.filter((letter) => render(`cat a${letter}b`).includes(letter))).toEqual([])
  expect(digraphs.filter((letter) => render(`A word: a${letter}b`, { prose: true }).includes(letter))).toEqual([])
})

it('T25: leaves dots in a sentence alone', () => {
  expect(render('Wait\u2026 really?!', { prose: true })).toBe('Wait\u2026 really?!')
})

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
