import { expect, it } from 'vitest'
import { isPath, recentLike, shortNames } from './folder-options.ts'

it('takes for a path what begins at the root or at the home folder', () => {
  expect(['/', '/code', '~', '~/code'].map(isPath)).toEqual([true, true, true, true])
  expect(['', 'code', './code', 'my/code'].map(isPath)).toEqual([false, false, false, false])
})

it('finds recent folders by a part of their paths, by their names first', () => {
  const recent = ['/home/shop/api', '/home/dev/Shop', '/home/dev/blog']
  expect(recentLike('shop', recent)).toEqual(['/home/dev/Shop', '/home/shop/api'])
  expect(recentLike(' ', recent)).toEqual(recent)
  expect(recentLike('nothing', recent)).toEqual([])
})

it('names folders of one name with the folder above', () => {
  expect(shortNames(['/home/dev/web', '/home/ann/web', '/home/dev/api', '/'])).toEqual([
    'dev/web',
    'ann/web',
    'api',
    '/',
  ])
})
