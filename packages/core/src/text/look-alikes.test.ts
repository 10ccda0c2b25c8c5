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

/** By Unicode's own names and properties: bars and dashes of every block, and the pieces that drawings are made of. */
const BARS = [
  [0xa6, 0x964, 0x965, 0x2016, 0x2223, 0x2225, 0x22ee, 0x2307, 0x23d0, 0x2980, 0x2af4, 0x2afc, 0x2aff, 0x3021, 0x3022],
  [
    ...range(0x239b, 0x23b1),
    0x23b8,
    0x23b9,
    ...range(0x2758, 0x275a),
    0x2847,
    0x28b8,
    0x31d1,
    0x4e28,
    0x1d100,
    0x1d101,
  ],
  [...range(0x2500, 0x257f), ...range(0x2580, 0x259f), ...range(0x1fb70, 0x1fb75), ...range(0x1d360, 0x1d368), 0x10107],
].flat()
const DASHES = [
  [0xaf, 0x207b, 0x208b, 0x2053, 0x23af, 0x23e4, 0x2796, 0x2e3a, 0x2e3b, 0x31d0, 0x4e00, 0x30fc, 0x1d369, 0x10110],
  [...range(0x2010, 0x2015), ...range(0x23ba, 0x23bd)],
  range(0, 0xffff).filter((at) => /\p{Dash}/u.test(String.fromCodePoint(at)) && at !== 0x2d),
].flat()

it.each([
  ['a bar', BARS, (sign: string) => [`cat a ${sign} sh`, `rm -rf build ${sign}${sign} echo src`, `cat a${sign}sh`]],
  ['a dash', DASHES, (sign: string) => [`git ${sign}force push`, `rm ${sign}${sign}force x`, `ls a${sign}b # 日本`]],
])('T25: shows no sign raw in a command that looks like %s', (_, signs, commands) => {
  const raw = signs
    .map((at) => String.fromCodePoint(at))
    .filter((sign) => commands(sign).some((command) => render(command).includes(sign)))
  expect(raw).toEqual([])
})

it.each([
  ['bars', 'rm -rf build \u2551 echo src', 'rm -rf build ⟨U+2551⟩ echo src'],
  ['dashes', 'rm \u2500\u2500force x', 'rm ⟨U+2500×2⟩force x'],
  ['quotation marks', 'echo \u00ABa\u00BB \u00B4b\u00B4', 'echo ⟨U+00AB⟩a⟨U+00BB⟩ ⟨U+00B4⟩b⟨U+00B4⟩'],
  ['brackets', 'sort \u27E8 x', 'sort ⟨U+27E8⟩ x'],
  ['dots', 'cd \u2219\u2219', 'cd ⟨U+2219×2⟩'],
  ['a bar beside words of its own script', 'cat 日本 \u4E28 sh', 'cat 日本 ⟨U+4E28⟩ sh'],
])('T25: knows %s in a command by what they are not', (_, command, shown) => {
  expect(render(command)).toBe(shown)
})

it.each([
  'echo "✓ 3 × 2 → 6 °C ≠ 5 € §1 • ① ❤ 👍🏽 ½"',
  'git commit -m "修复、登录「テスト」ユーザー一覧。"',
  'echo Größe привет',
  '├── src ─ x',
])('T25: leaves signs in a command alone that look like none of a shell: %s', (command) => {
  expect(render(command)).toBe(command)
})

it('T25: leaves signs in a sentence alone', () => {
  expect(render('Wait\u2026 really?!', { prose: true })).toBe('Wait\u2026 really?!')
  expect(render('a ¦ b ═ «c» · ⸺ ⠋', { prose: true })).toBe('a ¦ b ═ «c» · ⸺ ⠋')
})

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
