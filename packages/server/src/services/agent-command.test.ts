import { expect, it } from 'vitest'
import { agentCommand } from './agent-command.ts'

it.each([
  ['/config', 'config'],
  ['/config permissionMode=auto', 'config'],
  ['/config\u00a0theme=dark', 'config'],
  ['/config\ntheme=dark', 'config'],
  ['  \ufeff\n/model haiku', 'model'],
  ['/CONFIG', 'CONFIG'],
  ['/COMPACT', 'COMPACT'],
  ['/plugin:name x', 'plugin:name'],
  ['/mcp__server__prompt', 'mcp__server__prompt'],
  ['/context-of-mine', 'context-of-mine'],
])('T38 %j names a command', (text, name) => {
  expect(agentCommand(text)).toBe(name)
})

it.each([
  'hello',
  'use /config',
  'hello\n/config',
  '/etc/hosts is wrong',
  '//config',
  '/ config',
  '/',
  '',
  '/compact now',
  '/cost',
])('%j does not, or a harmless one', (text) => {
  expect(agentCommand(text)).toBeUndefined()
})
