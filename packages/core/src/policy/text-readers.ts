import { hasLateOption, type Reader } from './reader-options.ts'

/** Programs of binutils read options from a file that is named behind `@`, also in the place of a value. */
function namesOptions(_words: readonly string[], _given: ReadonlySet<string>, all: readonly string[]): boolean {
  return all.some((text) => text.startsWith('@'))
}

/** The last of several modes counts to some of them, and one that unpacks removes the packed file. */
function changesFiles(words: readonly string[], given: ReadonlySet<string>, all: readonly string[]): boolean {
  const has = (...names: readonly string[]) => names.some((name) => given.has(name))
  if (hasLateOption(words, all)) return true
  return !has('-c', '--stdout') && (has('-d', '--decompress') || !has('-l', '-t', '--list', '--test'))
}

/** Programs of which it is known, option by option, that they only print files, or their own words, in another form. */
export const TEXT_READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  // Not `-r`, which writes; and the second file is written. Of `-ac` it reads only the first letter: no number follows.
  [
    'xxd',
    {
      oneDash: true,
      options: '-a -b -c:text -e -g:text -i -l:text -o:text -p -s:text -u',
      refuses: (words, _given, all) => words.length > 1 || hasLateOption(words, all),
    },
  ],
  ['hexdump', { options: '-b -c -C -d -n:text -o -s:text -v -x' }],
  ['od', { options: '-a -b -c -d -f -i -l -o -s -x -v -A:text -j:text -N:text -t:text -w?text' }],
  // Not `-o`, which writes on some systems, nor `-i`, behind which some have the name of a file: `-id` reads d.
  ['base64', { options: '-d -D -w:text --decode --ignore-garbage --wrap=text' }],
  ['strings', { options: '-# -a -f -n:text -t:text -e:text', refuses: namesOptions }],
  // Not `--plugin`, and nothing that looks for what belongs to a file elsewhere.
  ['nm', { options: '-C -D -g -n -S -u', refuses: namesOptions }],
  ['objdump', { options: '-C -d -D -f -h -r -R -s -t -T', refuses: namesOptions }],
  ['readelf', { options: '-d -h -l -n -r -s -S -V -W', refuses: namesOptions }],
  ['size', { options: '-A -B -d -o -t -x', refuses: namesOptions }],
  ['shasum', { options: '-a:text -b -t' }],
  ['paste', { options: '-d:text -s -z --delimiters=text --serial' }],
  // On some systems `-a` stands alone unless a number follows.
  [
    'join',
    {
      options: '-1:text -2:text -a:text -e:text -i -j:text -o:text -t:text -v:text --header',
      refuses: (_words, _given, all) =>
        all.some((text, at) => /^-[^-]*a$/.test(text) && !/^[12]$/.test(all[at + 1] ?? '')),
    },
  ],
  ['column', { options: '-c:text -o:text -s:text -t -x --separator=text --table' }],
  ['fold', { options: '-# -b -s -w:text --spaces --width=text' }],
  ['expand', { options: '-# -i -t:text --initial --tabs=text' }],
  ['unexpand', { options: '-a -t:text --all --tabs=text' }],
  ['fmt', { options: '-# -s -u -w:text --width=text' }],
  // Not `-o`, nor `--random-source`.
  ['shuf', { options: '-e -i:text -n:text -r -z --echo --head-count=text --input-range=text --repeat' }],
  [
    'numfmt',
    {
      options: `-d:text --delimiter=text --field=text --format=text --from=text --from-unit=text --grouping --padding=text
        --round=text --suffix=text --to=text --to-unit=text`,
      words: 'text',
    },
  ],
  ['seq', { options: '-f:text -s:text -w --equal-width --format=text --separator=text', words: 'text' }],
  ['factor', { words: 'text' }],
  ['expr', { words: 'text' }],
  ['sleep', { words: 'text', refuses: (words) => !words.every((word) => /^\d+(\.\d+)?[smhd]?$/.test(word)) }],
  // Without one of these they put another file in a file's place.
  ['gzip', { options: '-c -d -l -t -v --decompress --list --stdout --test', refuses: changesFiles }],
  ['gunzip', { options: '-c -l -t -v --list --stdout --test', refuses: changesFiles }],
  ['xz', { options: '-c -d -l -t -v --decompress --list --stdout --test', refuses: changesFiles }],
  ['zcat', {}],
  ['xzcat', {}],
  ['bzcat', {}],
  ['getfacl', { options: '-a -c -d -e -n -t' }],
  ['lsattr', { options: '-a -d -l -p -v' }],
  ['gofmt', { oneDash: true, options: '-d -e -l -s' }],
])
