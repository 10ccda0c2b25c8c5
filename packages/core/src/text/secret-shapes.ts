/** What is so many letters and digits, with these signs too. */
const word = (length: string, signs = '') => `[A-Za-z0-9${signs}]{${length}}`
const hex = (length: string) => `[0-9a-fA-F]{${length}}`

/** Secrets by their own shape: what stands before the random part says whose they are. No word character comes before one. */
const OWN_SHAPES: readonly string[] = [
  // Clouds and hosts.
  `(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}`,
  `AIza${word('35', '_-')}`,
  `ya29\\.${word('20,', '_-')}`,
  `GOCSPX-${word('20,', '_-')}`,
  `1//0${word('20,', '_-')}`,
  `do[opr]_v1_${hex('64')}`,
  `HRKU-${word('30,', '_-')}`,
  `nfp_${word('30,')}`,
  `sbp_${hex('40')}`,
  `pscale_(?:tkn|pw|oauth)_${word('30,', '_.-')}`,
  `dapi${hex('32')}`,
  `pul-${hex('40')}`,
  `hv[sbr]\\.${word('24,', '_-')}`,
  `${word('14')}\\.atlasv1\\.${word('60,', '_=-')}`,
  `tskey-[a-z]{1,20}-${word('10,', '-')}`,
  `dp\\.(?:pt|st|ct|sa|scim|audit)\\.${word('30,', '._-')}`,
  `ops_eyJ${word('50,', '_=-')}`,
  // Code and packages.
  `gh[oprsu]_${word('20,')}`,
  `github_pat_${word('20,', '_')}`,
  `(?:glpat|gldt|glrt|glft|glsoat|glcbt)-${word('20,', '_-')}`,
  `glptt-${hex('40')}`,
  `GR1348941${word('20,', '_-')}`,
  `ATBB${word('24,')}`,
  `AT[AC]TT3${word('50,', '_=-')}`,
  `npm_${word('36')}`,
  `pypi-AgE${word('50,', '_-')}`,
  `rubygems_${hex('48')}`,
  `CLOJARS_${word('60')}`,
  `oy2${word('43')}(?![A-Za-z0-9])`,
  `dckr_(?:pat|oat)_${word('20,', '_-')}`,
  `sntry[su]_${word('30,', '_=+/-')}`,
  `gls[ac]_${word('30,', '_')}`,
  `glc_eyJ${word('30,', '_=+/-')}`,
  `NRAK-${word('27')}`,
  `PMAK-${hex('24')}-${hex('34')}`,
  `rdme_${word('60,')}`,
  // Models.
  `sk-${word('8,', '_-')}`,
  `hf_${word('30,')}`,
  `gsk_${word('40,')}`,
  `r8_${word('37')}`,
  `xai-${word('60,')}`,
  `pplx-${word('40,')}`,
  // Messages and people.
  `xox[abceoprs]-${word('10,', '-')}`,
  `xapp-\\d-${word('20,', '-')}`,
  `SG\\.${word('22', '_-')}\\.${word('43', '_-')}`,
  `(?:SK|AC)${hex('32')}(?![A-Za-z0-9])`,
  `key-${hex('32')}(?![A-Za-z0-9])`,
  `${hex('32')}-us\\d{1,2}(?![A-Za-z0-9])`,
  `\\d{8,10}:AA${word('33', '_-')}`,
  `[MNO]${word('23,25')}\\.${word('6', '_-')}\\.${word('27,', '_-')}`,
  `lin_(?:api|oauth)_${word('32,')}`,
  `(?:ntn|secret)_${word('40,')}`,
  `pat${word('14')}\\.${hex('64')}`,
  `figd_${word('40,', '_-')}`,
  `CFPAT-${word('40,', '_-')}`,
  `sl\\.${word('60,', '_=-')}`,
  `EAACEdEose0cBA${word('20,')}`,
  `A{20}${word('30,', '%')}`,
  // Money.
  `(?:sk|rk|pk)_(?:live|test)_${word('10,')}`,
  `whsec_${word('24,', '+/=')}`,
  `shp(?:at|ca|pa|ss)_${hex('32')}`,
  `sq0(?:atp|csp|idp)-${word('22,', '_-')}`,
  `access_token\\$(?:production|sandbox)\\$${word('16,', '$')}`,
  `FLWSECK(?:_TEST)?-${word('12,', '-')}`,
  `EZ[AT]K${word('54')}`,
  `shippo_(?:live|test)_${hex('40')}`,
  `duffel_(?:live|test)_${word('40,', '_=-')}`,
  // Of any kind.
  `AGE-SECRET-KEY-1[0-9A-Z]{58}`,
  // A JSON Web Token, or any other JSON in base64: to look for its dots would be to read the same text again and again.
  `eyJ${word('23,', '._-')}`,
]

/** What a shell takes for one word, quoted or not. A variable holds the secret elsewhere. */
const SHELL_WORD = `(?:"(?!\\$)[^"\\n]{1,400}"?|'[^'\\n]{1,400}'?|(?!\\$|--)[^\\s"'\`;&|<>()]+)`

/** Secrets that only the words before them give away. */
const BEHIND_WORDS: readonly string[] = [
  `(?<=#login=|[?&](?:ticket|sig|access_token|api_key)=)[A-Za-z0-9_%.~+/=-]+`,
  `(?<=\\bBearer )\\S+`,
  `(?<=\\bBasic )[A-Za-z0-9+/=_-]{8,}`,
  `(?<=\\bAccountKey=)[A-Za-z0-9+/=]{40,}`,
  `(?<=hooks\\.slack\\.com/services/)[A-Za-z0-9/]{20,}`,
  `(?<=discord(?:app)?\\.com/api/webhooks/)[\\w/-]{20,}`,
  `(?<=[a-z][a-z0-9+.-]{1,20}://[^\\s:/@'"]{0,100}:)[^\\s/@'"]{3,200}(?=@)`,
  `(?<=(?:PASSWORD|PASSWD|PASSPHRASE)=|--(?:password|passwd|passphrase)[= ])${SHELL_WORD}`,
  // As for curl. Numbers are a user and a group, and `//` is an address.
  `(?<=(?<![\\w-])(?:-u|--user)[= ]["']?[^\\s:"']{0,100}:)(?!//|\\d{1,10}(?![^\\s"']))[^\\s"']+`,
]

/** A private key, up to its end, or as far as a key goes where that is not in the text. */
const KEY_BLOCK = `-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\\s\\S]{0,20000}?-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[\\s\\S]{0,20000})|PuTTY-User-Key-File-\\d:[\\s\\S]{0,4000}`

/** What has no upper bound stands last in its shape: it is found and covered as far as it was read, so nothing is read twice (F58). */
export const SECRET_SHAPES = new RegExp(
  [KEY_BLOCK, `(?<![A-Za-z0-9_])(?:${OWN_SHAPES.join('|')})`, ...BEHIND_WORDS].join('|'),
  'g',
)
