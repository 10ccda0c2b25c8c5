import { expect, it } from 'vitest'
import { watchedScript } from './watched-script.ts'

const FOLDER = '/home/dev/app'
const DIR = `\${CLAUDE_PROJECT_DIR}`

it.each<[string | string[], 'hook' | 'server', string]>([
  ['$CLAUDE_PROJECT_DIR/tools/a.sh', 'hook', 'tools/a.sh'],
  ['"$CLAUDE_PROJECT_DIR"/tools/a.sh pre-commit', 'hook', 'tools/a.sh'],
  [`"${DIR}/tools/a.sh"`, 'hook', 'tools/a.sh'],
  [`node "${DIR}"/a.js 1 two`, 'hook', 'a.js'],
  [['python3', `${DIR}/a.py`], 'hook', 'a.py'],
  [['node', `\${CLAUDE_PROJECT_DIR}/server.js`], 'server', 'server.js'],
])('T34 one script in a fixed place is watched: %j of a %s', (run, by, script) => {
  expect(watchedScript({ run, by }, FOLDER)).toBe(script)
})

it.each<[string | string[], 'hook' | 'server' | 'other']>([
  ['$CLAUDE_PROJECT_DIR/a.sh', 'other'],
  ['sh a.sh', 'hook'],
  ['./a.sh', 'hook'],
  ['/home/dev/app/a.sh', 'hook'],
  ['sh -x $CLAUDE_PROJECT_DIR/a.sh', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/a.sh; id', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/a.sh && id', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/a.sh\nid', 'hook'],
  ['sh  $CLAUDE_PROJECT_DIR/a.sh', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/a.sh > x', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/a.sh ./b.sh', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/a.sh --rules=b', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/a.sh -x', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/a*', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/$X', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/b/../a.sh', 'hook'],
  ['sh $CLAUDE_PROJECT_DIR/-c', 'hook'],
  ['sh "$CLAUDE_PROJECT_DIR/a.sh', 'hook'],
  ["sh '$CLAUDE_PROJECT_DIR/a.sh'", 'hook'],
  ['X=1 $CLAUDE_PROJECT_DIR/a.sh', 'hook'],
  ['perl $CLAUDE_PROJECT_DIR/a.pl', 'hook'],
  ['npx a', 'hook'],
  ['', 'hook'],
  [['node', `\${CLAUDE_PROJECT_DIR:-.}/a.js`], 'hook'],
  [['node', 'server.js'], 'server'],
  [['./server.js', 'x'], 'server'],
  [['node', '-r', './a.js'], 'server'],
  [['node', 'inspect', 'a'], 'server'],
  [['node', '../a.js'], 'server'],
  [['node'], 'server'],
  [['a.js'], 'server'],
  [['/home/dev/app/a.js'], 'server'],
  [['node', `\${HOME}/a.js`], 'server'],
  [[], 'server'],
])('T34 all else is not: %j of a %s', (run, by) => {
  expect(watchedScript({ run, by }, FOLDER)).toBeUndefined()
})

it('T34 a name that a shell would split needs quotes', () => {
  const odd = '/home/dev/two words'
  expect(watchedScript({ run: '$CLAUDE_PROJECT_DIR/a.sh', by: 'hook' }, odd)).toBeUndefined()
  expect(watchedScript({ run: '"$CLAUDE_PROJECT_DIR"/a.sh', by: 'hook' }, odd)).toBe('a.sh')
  expect(watchedScript({ run: [`${DIR}/a.sh`], by: 'hook' }, odd)).toBe('a.sh')
})
