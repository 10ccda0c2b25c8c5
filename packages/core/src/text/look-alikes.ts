/** Characters that a reader takes for an ASCII sign, in pairs: the character, then the sign. */
const PAIRS: Readonly<Record<string, string>> = {
  Cyrillic:
    'АAВBЕEЁEЗ3ІIЇIЈJКKМMНHОOРPСCЅSТTУYЎYҮYХXԌGӀIԚQԜWҺhЬbаaб6вbгrеeёeз3іiїiјjкkмmнhоoпnрpсcѕsтtуyўyүyхxһhьbґrѡwѵvӏlԁdԛqԝw',
  Greek:
    'ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϹCͿJΆAΈEΉHΊIΌOΎYΪIΫYαaβbγyεeηnιiκkνvοoρpςcσoτtυuχxωwάaέeήnίiόoύuώwϊiϋuΐiΰuϲcϳjϜFϝfϺMϱpϒY',
  Armenian: 'ԼLՕOՍUՏSաwզqլlհhյjնuոnսuցgօoւi',
  Hebrew: 'וlחnטuיiןlסo',
  Arabic: 'اlـ_ةoهoىsہoەo',
  Georgian: 'ჿo',
  Gurmukhi: 'ਠo',
  Oriya: 'ଠo',
  Sinhala: 'ංo',
  Malayalam: 'ഠo',
  Thai: 'เlแl',
  Myanmar: 'ဝo',
  Ethiopic: 'ሀuዐo',
  Latin: 'ƖI',
  Signs: '′\'″"‵`│|┃|┆|┇|┊|┋|╎|╏|╱/╲\\╳X║|❘|❙|❚|⏐|⎸|⎹|⎜|⎟|⎢|⎥|⎪|▏|▕|¦|।|─-━-═=⸺-⸻-⁻-₋-⎯-',
  Cjk: '一-二=三=丨|丶.丿/〇0〡|〢|〣|〸+口0囗0工I卜|十+八^ノ/ー-ニ=ハ^エIロ0ト|へ^ヘ^ㅣ|ㅡ-ㅇoㅅ^ㅜTㄴLᄋoᅳ-ᅵ|ㄧ-',
}

const SIGNS = new Map(
  Object.values(PAIRS).flatMap((pairs) => {
    const characters = [...pairs]
    return characters.flatMap((letter, index) =>
      index % 2 === 0 ? [[letter, characters[index + 1] ?? ''] as const] : [],
    )
  }),
)

/** The ASCII sign that `character` is easily taken for. */
export function looksLike(character: string): string | undefined {
  const sign = SIGNS.get(character)
  if (sign) return sign
  const plain = character.normalize('NFKC')
  return plain !== character && /^[\x21-\x7E]{1,3}$/.test(plain) ? plain : undefined
}

export function isLookAlike(character: string): boolean {
  return SIGNS.has(character)
}
