import { expect, it } from 'vitest'
import { configFolderOf, subagentTranscript, transcriptOf } from './terminal-place.ts'

const hook = (path: string | undefined) => ({
  session_id: 'abc-1',
  hook_event_name: 'Stop',
  cwd: '/here',
  transcript_path: path,
})

it('takes the transcript of the session itself', () => {
  const path = '/home/me/.claude/projects/-here/abc-1.jsonl'
  expect(transcriptOf(hook(path))).toBe(path)
  expect(configFolderOf(path)).toBe('/home/me/.claude')
  expect(subagentTranscript(path, 'a0')).toBe('/home/me/.claude/projects/-here/abc-1/subagents/agent-a0.jsonl')
})

it.each([
  undefined,
  'abc-1.jsonl',
  '/etc/passwd',
  '/home/me/.claude/projects/-here/other.jsonl',
  '/home/me/notes/-here/abc-1.jsonl',
  '/home/me/.claude/projects/../projects/abc-1.jsonl',
  '/x/projects/\0/abc-1.jsonl',
])('does not read %j', (path) => {
  expect(transcriptOf(hook(path))).toBeUndefined()
})

it.each(['../../x', 'a/b', ''])('goes nowhere else for a subagent called %j', (id) => {
  expect(subagentTranscript('/c/projects/-here/abc-1.jsonl', id)).toBeUndefined()
})
