const ESC = '\x1b'
const BEL = '\x07'
const ST = `${ESC}\\`
const HUGE = '2147483647'
const CARD = '<article data-ask-id="ask_x"><button>Allow once</button></article>'

export interface EscapeSequence {
  readonly name: string
  readonly data: string
}

/** What programs have been known to send to terminals, to be shown in one that must do nothing but draw. */
export const ESCAPE_SEQUENCES: readonly EscapeSequence[] = [
  ...operatingSystemCommands(),
  ...strings(),
  ...queries(),
  ...modes(),
  ...hugeCounts(),
  ...cursors(),
  ...titlesAndWindows(),
  ...pictures(),
  ...characters(),
  ...brokenOff(),
  ...fakes(),
]

function named(group: string, all: readonly string[]): EscapeSequence[] {
  return all.map((data, index) => ({ name: `${group} ${index}: ${JSON.stringify(data).slice(0, 60)}`, data }))
}

function operatingSystemCommands(): EscapeSequence[] {
  const bodies = [
    '0;Approved by Holdpoint',
    '1;icon',
    '2;(0) Holdpoint',
    '2;',
    '3;WM_NAME=x',
    '4;1;rgb:ff/00/00',
    '4;1;?',
    '4;256;?',
    '5;0;?',
    '6;1;bg;red;brightness;255',
    '7;file://host/etc/passwd',
    '8;;javascript:alert(1)',
    '8;id=1;https://evil.example/',
    '8;;data:text/html,<script>alert(1)</script>',
    '9;Notification from a program',
    '9;4;1;50',
    '10;?',
    '10;#ffffff',
    '11;?',
    '11;#000000',
    '12;?',
    '13;?',
    '17;?',
    '19;?',
    '22;pointer',
    '46;/tmp/log',
    '50;?',
    '50;monospace',
    '51;["call","f",[]]',
    '52;c;cHduZWQ=',
    '52;p;cHduZWQ=',
    '52;c;?',
    '52;;?',
    '66;s=2;large',
    '99;i=1;kitty notification',
    '104',
    '104;1',
    '105',
    '110',
    '111',
    '112',
    '133;A',
    '133;C;cmdline_url=x',
    '176;title',
    '555;x',
    '633;E;rm -rf /',
    '697;x',
    '701;C.UTF-8',
    '777;notify;Holdpoint;Approved',
    '777;preexec',
    '888;x',
    '1337;SetMark',
    '1337;CopyToClipboard=general',
    '1337;File=name=eA==;inline=1:AAAA',
    '1337;RequestAttention=yes',
    '1337;StealFocus',
    '1337;ClearScrollback',
    '1337;OpenURL=:aHR0cHM6Ly9ldmlsLmV4YW1wbGU=',
    '1337;ReportCellSize',
    '1337;SetUserVar=x=eA==',
    '99999999999;x',
    `2;${'A'.repeat(5000)}`,
  ]
  return named(
    'OSC',
    bodies.map((body, index) => `${ESC}]${body}${index % 2 === 0 ? BEL : ST}`),
  )
}

function strings(): EscapeSequence[] {
  return named('DCS, APC, PM, SOS', [
    `${ESC}P$q"p${ST}`,
    `${ESC}P$qm${ST}`,
    `${ESC}P$qr${ST}`,
    `${ESC}P$q q${ST}`,
    `${ESC}P$t1${ST}`,
    `${ESC}P+q544e${ST}`,
    `${ESC}P+p${ST}`,
    `${ESC}P1;2|17/41${ST}`,
    `${ESC}P>|name${ST}`,
    `${ESC}Ptmux;${ESC}${ESC}]2;x${BEL}${ST}`,
    `${ESC}P=1s${ST}`,
    `${ESC}P${'x'.repeat(5000)}${ST}`,
    `${ESC}_Ga=T,f=24,s=1,v=1;AAAA${ST}`,
    `${ESC}_Ga=q,i=31;AAAA${ST}`,
    `${ESC}_${CARD}${ST}`,
    `${ESC}^private message${ST}`,
    `${ESC}^${CARD}${ST}`,
    `${ESC}Xstart of string${ST}`,
    `${ESC}X${CARD}${ST}`,
    '\x90$qm\x9c',
    '\x9d2;C1 title\x9c',
    '\x9f Application \x9c',
    '\x9e Privacy \x9c',
    '\x98 String \x9c',
  ])
}

/** A terminal that replies types into the program: only the one with the keyboard could. */
function queries(): EscapeSequence[] {
  return named('query', [
    `${ESC}[c`,
    `${ESC}[0c`,
    `${ESC}[>c`,
    `${ESC}[=c`,
    `${ESC}Z`,
    `${ESC}[5n`,
    `${ESC}[6n`,
    `${ESC}[?6n`,
    `${ESC}[?15n`,
    `${ESC}[?25n`,
    `${ESC}[?26n`,
    `${ESC}[?53n`,
    `${ESC}[?62n`,
    `${ESC}[?63;1n`,
    `${ESC}[?996n`,
    `${ESC}[x`,
    `${ESC}[1x`,
    `${ESC}[>q`,
    `${ESC}[>0q`,
    `${ESC}[?1$p`,
    `${ESC}[?2004$p`,
    `${ESC}[?2026$p`,
    `${ESC}[4$p`,
    `${ESC}[1$w`,
    `${ESC}[2$w`,
    `${ESC}[1;1;1;1;1;1*y`,
    `${ESC}[?u`,
    `${ESC}[>1u`,
    `${ESC}[<u`,
    '\x05',
    '\x9b6n',
    '\x9bc',
  ])
}

function modes(): EscapeSequence[] {
  const numbers = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 25, 40, 45, 47, 66, 67, 69, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016,
    1034, 1047, 1048, 1049, 2004, 2026, 2027, 2031, 5522, 9001,
  ]
  return [
    ...named(
      'mode on',
      numbers.map((number) => `${ESC}[?${number}h`),
    ),
    ...named('reset', [
      `${ESC}[!p`,
      `${ESC}c`,
      `${ESC}[?1049h${ESC}[?1049l`,
      `${ESC}=`,
      `${ESC}>`,
      `${ESC}[4h${ESC}[20h`,
    ]),
  ]
}

function hugeCounts(): EscapeSequence[] {
  const finals = [...'@ABCDEFGHIJKLMPSTXZ`abdefhlmrt']
  return [
    ...named(
      'huge count',
      finals.map((final) => `x${ESC}[${HUGE}${final}`),
    ),
    ...named('many counts', [
      `${ESC}[${'1;'.repeat(1000)}m`,
      `${ESC}[38;2;${HUGE};${HUGE};${HUGE}m`,
      `${ESC}[${'9'.repeat(400)}m`,
    ]),
  ]
}

function cursors(): EscapeSequence[] {
  return named('cursor', [
    `${ESC}[-1;-1H`,
    `${ESC}[9999;9999Hoff the screen`,
    `${ESC}[0;0H`,
    `${ESC}[5;2r`,
    `${ESC}[?6h${ESC}[999B`,
    `${ESC}[999A${ESC}[999D`,
    `${ESC}[s${ESC}[999;999H${ESC}[u`,
    `${ESC}7${ESC}8`,
    `${ESC}M`.repeat(200),
    '\n'.repeat(3000),
    '\b'.repeat(500),
    `${'\t'.repeat(200)}x`,
    `${ESC}H${ESC}[3g`,
    `${ESC}#8`,
    `${ESC}#6double`,
  ])
}

function titlesAndWindows(): EscapeSequence[] {
  return named('window', [
    `${ESC}[22;0t`,
    `${ESC}[23;0t`,
    `${ESC}[22;2t`.repeat(1000),
    `${ESC}[21t`,
    `${ESC}[20t`,
    `${ESC}[1t`,
    `${ESC}[2t`,
    `${ESC}[3;0;0t`,
    `${ESC}[4;10;10t`,
    `${ESC}[8;500;500t`,
    `${ESC}[9;1t`,
    `${ESC}[11t`,
    `${ESC}[13t`,
    `${ESC}[14t`,
    `${ESC}[16t`,
    `${ESC}[18t`,
    `${ESC}[19t`,
    `${ESC}k screen title${ST}`,
    BEL.repeat(100),
  ])
}

function pictures(): EscapeSequence[] {
  return named('picture', [
    `${ESC}Pq#0;2;0;0;0#0~~@@vv@@~~$${ST}`,
    `${ESC}P0;1;0q"1;1;9999;9999#1!${HUGE}~-${ST}`,
    `${ESC}P1p S(E)W(N1) ${ST}`,
    `${ESC}[?80h${ESC}Pq~${ST}`,
  ])
}

function characters(): EscapeSequence[] {
  return named('characters', [
    '\u202Eright to left override\u202C',
    '\u2066isolate\u2069',
    '\u05D0\u05D1\u05D2 \u0627\u0644\u0639\u0631\u0628\u064A\u0629 abc',
    `Z${'\u0300\u0301\u0302\u0303\u0489'.repeat(200)}`,
    '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466} \u{1F3F4}\u{E0067}\u{E0062}\u{E007F}',
    '\u4F60\u597D\uFF01\u3000\uAC00\u{20000}',
    '\u200B\u200C\u200D\u2060\uFEFF\u00AD',
    '\uE000\u{F0000}\u{10FFFD}\uFFFE\uFFFF',
    '\uD800 alone \uDC00',
    '\u2028\u2029\u0085',
    '\uFDFD\uA9C5\u{12031}',
    '\u0000\u0001\u0002\u007F\u0080\u009F',
    '\u00A0\u2000\u2003\u202F',
    'e\u0301\u20E3 1\uFE0F\u20E3',
    `${ESC}(0lqqqk${ESC}(B${ESC})A\x0E\x0F${ESC}%G`,
  ])
}

function brokenOff(): EscapeSequence[] {
  return named('broken off', [
    ESC,
    `${ESC}[`,
    `${ESC}[38;2;`,
    `${ESC}]52;c;`,
    `${ESC}P`,
    `${ESC}_`,
    '\x18',
    '\x1a',
    `${ESC}[31\x18m`,
    `${ESC}[1${ESC}[2J`,
  ])
}

/** What would fool somebody who looks, were it more than text in a box. */
function fakes(): EscapeSequence[] {
  return named('fake', [
    CARD,
    '<script>window.pwned = true</script><img src=x onerror="window.pwned = true">',
    `${ESC}[2J${ESC}[H${ESC}[44;97m Holdpoint ${ESC}[0m\r\n Run rm -rf / ?\r\n ${ESC}[42m Allow once ${ESC}[0m ${ESC}[41m Deny ${ESC}[0m`,
    `${ESC}[8mconcealed${ESC}[0m ${ESC}[30;40mblack on black${ESC}[0m ${ESC}[38;2;13;15;19mground on ground${ESC}[0m`,
    `${ESC}[5mblinks${ESC}[0m${ESC}[2mfaint${ESC}[0m`,
    '[Allow once](javascript:alert(1)) **Approved by Holdpoint**',
  ])
}
