import { expect, it } from 'vitest'
import { segments } from './visible-text.ts'

/**
 * Pairs of Unicode's own table of confusable characters (UTS 39), not of ours: the letter, then what it is taken for.
 * Those of each script that a reader of Latin letters takes for one.
 */
const CONFUSABLE: Readonly<Record<string, string>> = {
  Cyrillic: 'АAВBЕEЅSІIЈJКKМMНHОOРPСCТTХXаaеeоoрpсcхxѕsіiјjԁdһhԛqԝwѡwѵvгrьbуyүyӏlҮYԌGԚQԜWЬbЗ3б6',
  Greek: 'ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXαaγyιiνvοoρpσoυuςcϲcϳjϹCͿJ',
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
