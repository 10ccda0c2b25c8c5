import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callAction } from './call-action.ts'

const CWD = '/srv/project'

describe('what a call does', () => {
  it.each([
    ['Bash', { command: 'git status' }, { type: 'command', command: 'git status' }],
    ['Bash', { command: 'ls', description: 'Lists', timeout: 5 }, { type: 'command', command: 'ls' }],
    ['Read', { file_path: '/srv/project/a.ts', limit: 5 }, { type: 'file', use: 'read', path: '/srv/project/a.ts' }],
    ['Read', { file_path: 'sub/../a.ts' }, { type: 'file', use: 'read', path: '/srv/project/a.ts' }],
    ['Grep', { pattern: '../x' }, { type: 'file', use: 'read', path: CWD, isTree: true }],
    [
      'Glob',
      { pattern: '**/*.ts', path: 'src' },
      { type: 'file', use: 'read', path: '/srv/project/src', isTree: true },
    ],
    ['Write', { file_path: '/etc/hosts', content: '' }, { type: 'file', use: 'write', path: '/etc/hosts' }],
    ['NotebookEdit', { notebook_path: '/n.ipynb', new_source: '' }, { type: 'file', use: 'write', path: '/n.ipynb' }],
    ['WebFetch', { url: 'https://example.com', prompt: 'x' }, { type: 'fetch', url: 'https://example.com' }],
    ['mcp__git_hub__create__it', {}, { type: 'mcp', server: 'git_hub', tool: 'create__it' }],
    ['Agent', { prompt: 'x' }, { type: 'tool' }],
    ['Bash', { command: ['ls'] }, { type: 'tool' }],
    ['Bash', {}, { type: 'tool' }],
    ['toString', {}, { type: 'tool' }],
    ['mcp__x', {}, { type: 'tool' }],
  ])('%s %j is %j', (name, input, expected) => {
    expect(callAction({ tool: { name, input }, cwd: CWD })).toEqual({ agent: 'claude', action: expected })
  })

  it.each([
    ['Bash', { command: 'ls', run_in_background: true }, /run_in_background/],
    ['Monitor', { command: 'ls' }, /in the background/],
    ['Bash', { command: 'ls', dangerouslyDisableSandbox: true }, /dangerouslyDisableSandbox/],
    ['Write', { file_path: '/a', content: '', mode: '0777' }, /mode/],
    ['Glob', { pattern: '/etc/*' }, /lead out/],
    ['Glob', { pattern: '../**' }, /lead out/],
    ['Grep', { pattern: 'x', glob: '~/.ssh/*' }, /lead out/],
    ['Grep', { pattern: 'x', path: '~/x' }, /not written in full/],
    ['Write', { file_path: ' /etc/x', content: '' }, /not written in full/],
  ])('%s %j does more than its action says', (name, input, besides) => {
    expect(callAction({ tool: { name, input }, cwd: CWD }).besides).toMatch(besides)
  })

  it.each([
    ['~/x', join(homedir(), 'x')],
    ['~', homedir()],
    [' /etc', '/etc'],
    ['/etc \n', '/etc'],
    ['', CWD],
    [' ', CWD],
    [' ~/x', join(homedir(), 'x')],
    ['~x', `${CWD}/~x`],
  ])('T18 a search in %j reads below the folder that Claude Code takes it for', (path, expected) => {
    const action = { type: 'file', use: 'read', path: expected, isTree: true }
    for (const name of ['Grep', 'Glob'])
      expect(callAction({ tool: { name, input: { pattern: 'x', path } }, cwd: CWD })).toMatchObject({ action })
  })

  it('T18 a search whose pattern leads out may read anything', () => {
    const action = { type: 'file', use: 'read', path: '/', isTree: true }
    for (const pattern of ['/etc/*', ' /etc/*', '~/.ssh/*', 'a/../../*'])
      expect(callAction({ tool: { name: 'Glob', input: { pattern } }, cwd: CWD })).toMatchObject({ action })
  })

  it('names no file where the folder is not known', () => {
    expect(callAction({ tool: { name: 'Read', input: { file_path: 'a.ts' } }, cwd: undefined })).toEqual({
      agent: 'claude',
      action: { type: 'tool' },
    })
    expect(callAction({ tool: { name: 'Read', input: { file_path: '/a.ts' } }, cwd: undefined }).action.type).toBe(
      'file',
    )
  })
})
