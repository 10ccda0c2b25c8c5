import { expect, it } from 'vitest'
import { offersOf } from './offers-of.ts'

const command = (name: string, more = {}) => ({ name, description: 'd', argumentHint: '', ...more })
const model = (value: string, more = {}) => ({ value, displayName: '', description: '', ...more })

const offers = (commands: ReturnType<typeof command>[], models: ReturnType<typeof model>[] = []) =>
  offersOf({ supportedCommands: async () => commands, supportedModels: async () => models })

it('says what the agent says, without what is empty', async () => {
  const told = await offers(
    [command('review', { argumentHint: '[pr]' }), command('clear', { description: '' })],
    [model('sonnet', { displayName: 'Sonnet', description: 'Everyday' }), model('opus')],
  )
  expect(told).toEqual({
    commands: [{ name: 'review', description: 'd', argumentHint: '[pr]' }, { name: 'clear' }],
    models: [
      { value: 'sonnet', name: 'Sonnet', description: 'Everyday' },
      { value: 'opus', name: 'opus' },
    ],
  })
})

it('[T55] offers no name that would be sent as something else, or that hides characters', async () => {
  const names = ['a b', 'a\nb', 'a\u0000', 'a\u202Eb', 'a/b', '', 'x'.repeat(129), 'good', 'plugin:good', 'mcp__s__p']
  expect((await offers(names.map((name) => command(name)))).commands.map(({ name }) => name)).toEqual([
    'good',
    'plugin:good',
    'mcp__s__p',
  ])
  const values = ['--dangerous', 'a b', 'a\u202Eb', '', 'claude-x[1m]']
  expect(
    (
      await offers(
        [],
        values.map((value) => model(value)),
      )
    ).models.map(({ value }) => value),
  ).toEqual(['a b', 'claude-x[1m]'])
})

it('words a name that is told twice as the command that it runs', async () => {
  const own = command('help', { description: 'its own', builtin: true })
  const others = command('help', { description: 'of a folder' })
  expect((await offers([others, own])).commands).toEqual([{ name: 'help', description: 'its own' }])
  expect((await offers([own, others])).commands).toEqual([{ name: 'help', description: 'its own' }])
})

it('[I10] is bounded, whatever a folder or a server of tools names', async () => {
  const many = Array.from({ length: 5000 }, (_, index) => command(`c${index}`, { description: 'x'.repeat(100_000) }))
  const told = await offers(many)
  expect(told.commands).toHaveLength(500)
  expect(JSON.stringify(told).length).toBeLessThan(500 * 600)
})
