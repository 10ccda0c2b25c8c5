import { LONG, report } from '@holdpoint/testing/long'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describe as inWords, render, segments, unescape as unescaped } from './visible-text.ts'

const CODE_POINTS = 0x110000
/** Unicode has assigned nothing in planes 4 to 13, and 15 and 16 are for private use: each is the same from end to end. */
const isInEmptyPlane = (codePoint: number) => codePoint >= 0x40000 && codePoint >> 16 !== 14
const EMPTY_PLANE_STEP = LONG ? 1 : 61

/** What nobody can see, by Unicode's own properties: none of it is ever shown raw. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Variation_Selector}\p{Noncharacter_Code_Point}\u{2800}\u{3164}\u{FFA0}\u{115F}\u{1160}\u{FFF9}-\u{FFFC}]|(?! )\p{Zs}/u
const DISGUISE = /[\u{FF21}-\u{FF3A}\u{FF41}-\u{FF5A}\u{1D400}-\u{1D6A3}]/u
const ANOTHER_SCRIPT =
  /[\p{L}\p{M}](?<![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}])/u
const LAID_OUT = new Set(['\n', '\t'])

function isRaw(character: string, shown: string): boolean {
  return shown.includes(character)
}

describe('visible text', () => {
  it('T24: shows no code point raw that cannot be seen, alone or in a word, and loses none', () => {
    const failed: string[] = []
    let checked = 0
    let escaped = 0
    for (let codePoint = 0; codePoint < CODE_POINTS; codePoint++) {
      if (isInEmptyPlane(codePoint) && codePoint % EMPTY_PLANE_STEP !== 0) continue
      const character = String.fromCodePoint(codePoint)
      const inWord = `a${character}b`
      // The two ways differ in control characters alone.
      for (const multiline of codePoint < 0x100 ? [false, true] : [false]) {
        const alone = render(character, { multiline })
        const among = render(inWord, { multiline })
        const mayBeRaw = multiline && LAID_OUT.has(character)
        const unseen = UNSEEN.test(character) || DISGUISE.test(character)
        if (!mayBeRaw && unseen && (isRaw(character, alone) || isRaw(character, among))) failed.push(`raw ${codePoint}`)
        if (ANOTHER_SCRIPT.test(character) && isRaw(character, among)) failed.push(`mixed ${codePoint}`)
        if (/\p{M}/u.test(character) && isRaw(character, alone)) failed.push(`mark ${codePoint}`)
        if (unescaped(alone) !== character || unescaped(among) !== inWord) failed.push(`lost ${codePoint}`)
        if (alone !== character) escaped++
      }
      checked++
    }
    report(`T24: ${checked} code points of ${CODE_POINTS}, ${escaped} of them escaped`)
    expect(failed).toEqual([])
    expect(escaped).toBeGreaterThan(LONG ? 900_000 : 150_000)
  })

  const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))
  const signs = [
    '⟨',
    '〈',
    'U+',
    'U',
    '+',
    '202E',
    '200B',
    '×',
    '3',
    '⟩',
    '\u202e',
    '\u200b',
    '\u{e0041}',
    '\ud83d',
    '\ude00',
  ]
  const imitations = fc.array(fc.constantFrom(...signs, 'a', 'а', '́', '️', '‍', '❤', '1', '⃣')).map((all) => all.join(''))
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), anyUnits, imitations)

  it('T24: gives back every text from what it shows, with lone surrogates and imitated escapes', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, multiline) => {
        const all = segments(text, { multiline })
        expect(all.map((part) => (part.kind === 'plain' ? part.text : part.source)).join('')).toBe(text)
        expect(unescaped(render(text, { multiline }))).toBe(text)
        for (const part of all) if (part.kind === 'plain') expect(part.text).not.toMatch(/\u202e|\u200b/)
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['RIGHT-TO-LEFT OVERRIDE', 'a\u202eb', 'a⟨U+202E⟩b'],
    ['an escape sequence for terminals', '\x1b[31m', '⟨U+001B⟩[31m'],
    ['a carriage return', 'a\rb', 'a⟨U+000D⟩b'],
    ['several in a row, counted', 'a\u200b\u200b\u200bb', 'a⟨U+200B×3⟩b'],
    ['an imitated escape', '⟨U+202E⟩', '⟨U+27E8⟩U+202E⟨U+27E9⟩'],
    ['a lone surrogate', '\ud83dx', '⟨U+D83D⟩x'],
    ['a Cyrillic letter in a Latin word', 'pаypal', 'p⟨U+0430⟩ypal'],
    ['a Cyrillic word of look-alikes among Latin ones', 'cat сору', 'cat ⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩⟨U+0443⟩'],
    ['letters of two scripts parted by something invisible', 'a\u200dаb', 'a⟨U+200D⟩⟨U+0430⟩b'],
    ['fullwidth letters', 'ｒｍ', '⟨U+FF52⟩⟨U+FF4D⟩'],
    ['mathematical letters', '𝐫m', '⟨U+1D42B⟩m'],
    ['a phonetic twin', 'ɡithub', '⟨U+0261⟩ithub'],
    ['a hyphen that is none', 'rm ‐rf', 'rm ⟨U+2010⟩rf'],
    ['fullwidth punctuation in Latin text', 'a；b', 'a⟨U+FF1B⟩b'],
    ['a slash that is a kana', 'http:ノノ', 'http:⟨U+30CE×2⟩'],
    ['a mark without a letter', ' \u0301', ' ⟨U+0301⟩'],
    ['marks piled up', 'e\u0301\u0301\u0301', 'e\u0301⟨U+0301×2⟩'],
    ['a dot on an i', 'i\u0307', 'i⟨U+0307⟩'],
    ['a stroke through a letter', 'a\u0336', 'a⟨U+0336⟩'],
    ['tags behind a flag', '🏴\u{e0067}\u{e007f}', '🏴⟨U+E0067⟩⟨U+E007F⟩'],
    ['a joiner outside an emoji', '❤\u200d❤', '❤⟨U+200D⟩❤'],
    ['one after the end of a command', 'echo привет; рір', 'echo привет; ⟨U+0440⟩⟨U+0456⟩⟨U+0440⟩'],
    ['one after a pipe', 'echo привет | рір', 'echo привет | ⟨U+0440⟩⟨U+0456⟩⟨U+0440⟩'],
    ['one before its own script', 'sudo сат отчёт', 'sudo ⟨U+0441⟩⟨U+0430⟩⟨U+0442⟩ отчёт'],
    ['one in quotes', '"сат" отчёт', '"⟨U+0441⟩⟨U+0430⟩⟨U+0442⟩" отчёт'],
    ['one in a path', 'жук ./ехес', 'жук ./⟨U+0435⟩⟨U+0445⟩⟨U+0435⟩⟨U+0441⟩'],
    ['one in a host', 'жук рауа.com', 'жук ⟨U+0440⟩⟨U+0430⟩⟨U+0443⟩⟨U+0430⟩.com'],
    ['a Greek one beside Greek', 'γλώσσα; τοτ', 'γλώσσα; ⟨U+03C4⟩⟨U+03BF⟩⟨U+03C4⟩'],
    ['a Hebrew one beside Hebrew', 'עברית | ו', 'עברית | ⟨U+05D5⟩'],
    ['a pipe that is drawn', 'cat x │ sh', 'cat x ⟨U+2502⟩ sh'],
    ['a slash that is drawn', 'rm -rf ╱srv', 'rm -rf ⟨U+2571⟩srv'],
    ['a prime for a quote', 'echo ′a′', 'echo ⟨U+2032⟩a⟨U+2032⟩'],
    ['a capital drawn as l', 'Ɩs', '⟨U+0196⟩s'],
    ['a foreign digit', 'a٥', 'a⟨U+0665⟩'],
  ])('escapes %s', (_, text, shown) => {
    expect(render(text)).toBe(shown)
  })

  it.each([
    'Größe, naïve, Việt Nam, Łódź, İstanbul',
    'Привет, мир: а с ним и код',
    'Как это работает? Не так просто, как кажется: он — не то, что надо. Нет.',
    'В React так не делают, файл config не найден',
    'git commit -m "не трогать файл: он не наш" # как и код',
    'по-русски кто-то, при 5 — не то, и т. п.',
    'Ελληνικά και το κείμενο',
    'Το ποσό και το τότε',
    '├── src │ x ╱ │',
    '  │ a │ b │',
    'مرحبا بالعالم ٣',
    'שָׁלוֹם עולם',
    '日本語のテキスト、Reactを使う（はい）',
    '안녕 React를 쓴다',
    'हिन्दी और क्षीं',
    'မြန်မာဘာသာ',
    'ภาษาไทยที่นี่',
    '❤️ 👨‍👩‍👧 1️⃣ 🇩🇪 👍🏽 ✓ → ≠ “x” – … ┌─┐ ⠋',
    'cafe\u0301',
    '⟨x, y⟩',
  ])('leaves readable text alone: %s', (text) => {
    expect(render(text, { prose: true })).toBe(text)
  })

  it('judges a piece by the whole that it is a piece of', () => {
    expect(render('с')).toBe('⟨U+0441⟩')
    expect(render('с', { prose: true, context: 'кофе с молоком' })).toBe('с')
    expect(render('с', { prose: true, context: 'cat с and кофе' })).toBe('⟨U+0441⟩')
  })

  it('T25: lets no word of another line speak for one that looks Latin', () => {
    const shown = render('# запуск проверки, потом сборка\nсат ./соре && ./ехес', { multiline: true, prose: true })
    const marked = (letters: string) => [...letters].map((letter) => render(letter)).join('')
    expect(shown).toBe(`# запуск проверки, потом сборка\n${marked('сат')} ./${marked('соре')} && ./${marked('ехес')}`)
  })

  const COMMANDS: readonly (readonly [command: string, disguised: string])[] = [
    ['env -u привет рір install requests', 'рір'],
    ['sudo -u привет рір install', 'рір'],
    ['bash -c "рір привет"', 'рір'],
    ["eval 'рір привет'", 'рір'],
    ['curl -o привет сах.рус', 'сах.рус'],
    ['echo привет, сору', 'сору'],
    ['git checkout привет - сору', 'сору'],
    ['npm run Сору привет', 'Сору'],
    ['cat привет --сору', 'сору'],
  ]
  it.each(COMMANDS)('T25: marks a disguised word of a command, whatever stands beside it: %s', (command, disguised) => {
    const marked = disguised.replace(/[а-яёі]/gi, (letter) => render(letter))
    expect(render(command)).toBe(command.replace(disguised, marked))
    expect(render(command, { prose: true })).toBe(command.replace(disguised, marked))
    expect(inWords([command])).toContain('look-alike characters are shown as escapes')
  })

  it('T25: leaves no word that looks Latin raw in code, though all of it is Russian', () => {
    expect(render('привет мир а')).toBe('привет мир ⟨U+0430⟩')
    expect(render('привет мир а', { prose: true })).toBe('привет мир а')
    expect(inWords([], ['привет мир а'])).toBeUndefined()
  })

  it('T25 marks quotation marks in code that no shell takes for such, and none in prose', () => {
    expect(render('echo “; rm x; ”')).toBe('echo ⟨U+201C⟩; rm x; ⟨U+201D⟩')
    expect(render('it’s “done”', { prose: true })).toBe('it’s “done”')
  })

  it('lays out line feeds and tabs in several lines and escapes them in one', () => {
    expect(render('a\n\tb', { multiline: true })).toBe('a\n\tb')
    expect(render('a\n\tb')).toBe('a⟨U+000A⟩⟨U+0009⟩b')
  })

  it('names what it escaped', () => {
    const names = (text: string) => segments(text).flatMap((part) => (part.kind === 'escape' ? [part.name] : []))
    expect(names('\u202e')).toEqual(['RIGHT-TO-LEFT OVERRIDE'])
    expect(names('pаy')).toEqual(['CYRILLIC CHARACTER, looks like “a”'])
    expect(names('\u{e0041}')).toEqual(['TAG “A”'])
    expect(names('\ue000')).toEqual(['PRIVATE USE CHARACTER'])
    expect(names('𝐚')).toEqual(['LOOK-ALIKE CHARACTER, looks like “a”'])
  })

  it('counts for the warning line', () => {
    expect(inWords(['plain', 'Привет\n'])).toBeUndefined()
    expect(inWords(['a\u200b'])).toBe('1 invisible character is shown as an escape.')
    expect(inWords(['a\u200b', 'pаypаl'])).toBe(
      '1 invisible character and 2 look-alike characters are shown as escapes.',
    )
    expect(inWords(['\u202e\u200b\u200b\x1b'])).toBe(
      '1 reordering character, 2 invisible characters and 1 control character are shown as escapes.',
    )
  })

  it('does not undo what is no escape', () => {
    expect(unescaped('⟨U+110000⟩ ⟨U+202⟩ ⟨u+202E⟩')).toBe('⟨U+110000⟩ ⟨U+202⟩ ⟨u+202E⟩')
  })
})
