import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { textOf } from '../testing/text-of.ts'
import { DiffView } from './diff-view.tsx'

const shown = (name: string, filePath: string) =>
  textOf(renderToStaticMarkup(<DiffView diff={`--- ${name}\n+++ ${name}\n`} filePath={filePath} />))

it.each(['cell 1 of 2 (raw), made code', 'cell 1 of 2 (code), outputs emptied', 'new cell 2 of 3 (markdown)'])(
  'T63 a change of a cell that leaves its lines as they are says what it is: %s',
  (cell) => {
    const text = shown(cell, '/w/a.ipynb')
    expect(text).toContain(`No line changes in ${cell}`)
    expect(text).not.toContain('changes nothing')
  },
)

it('a file that stays as it is is said to', () => {
  for (const name of ['/w/a.ts', 'a.ts']) expect(shown(name, '/w/a.ts')).toContain('This changes nothing.')
})
