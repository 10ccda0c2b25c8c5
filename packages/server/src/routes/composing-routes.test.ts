import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FoundFiles } from '@holdpoint/schema/endpoints/sessions'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'

async function withFiles(test: TestGateway, paths: readonly string[]) {
  const cwd = join(await realpath(test.dataDir), 'project')
  for (const path of paths) {
    await mkdir(dirname(join(cwd, path)), { recursive: true })
    await writeFile(join(cwd, path), '')
  }
  const { session } = await test.session({ cwd })
  const path = (typed: string) => `/api/sessions/${session.id}/files?typed=${encodeURIComponent(typed)}`
  const files = async (typed: string) => (await test.api.ok<FoundFiles>('GET', path(typed))).files
  return { cwd, session, path, files }
}

it('T53 names files of the session’s folder for a message, and none outside of it', async () => {
  await using test = await startTestGateway()
  const { cwd, files } = await withFiles(test, ['src/app.ts', 'readme.md'])
  await symlink('/etc', join(cwd, 'etc'))
  expect(await files('')).toEqual(['readme.md', 'src/', 'src/app.ts'])
  expect(await files('ap')).toEqual(['src/app.ts'])
  expect(await files('/')).toEqual(['src/', 'src/app.ts'])
  for (const typed of ['..', '../', '../../', '/etc/', 'etc/', 'etc/passwd', 'src/../../', '\u0000', '%2e%2e/'])
    expect(await files(typed), typed).toEqual([])
})

it('tells them to those who may write to the session', async () => {
  await using test = await startTestGateway()
  const { session, path } = await withFiles(test, ['a.txt'])
  const { session: other } = await test.session()
  const status = async (grant: Parameters<TestGateway['credential']>[0], at = path('')) =>
    (await (await test.credential(grant)).api.call('GET', at)).status
  expect(await status({ role: 'approver', sessionIds: [session.id] })).toBe(200)
  expect(await status({ role: 'approver', sessionIds: [other.id] })).toBe(404)
  expect(await status({ role: 'viewer' })).toBe(403)
  expect(await status({ role: 'raiser' })).toBe(403)
})

it('T53 names none where a program has said what its folder is: it takes no messages, and may be anywhere', async () => {
  await using test = await startTestGateway()
  const { api, device } = await test.credential({ role: 'raiser' })
  const raised = await api.call<{ sessionId: string }>('POST', '/api/asks', {
    program: { key: 'deploy', title: 'deploy.sh' },
    requestId: 'one',
    kind: 'question',
    title: 'Deploy?',
    questions: [{ question: 'Deploy?', options: [{ label: 'yes' }, { label: 'no' }] }],
    context: { cwd: '/etc' },
  })
  expect([raised.status, device.role]).toEqual([201, 'raiser'])
  const reply = await test.api.call('GET', `/api/sessions/${raised.body.sessionId}/files`)
  expect(reply).toMatchObject({ status: 422, body: { error: { code: 'not_supported' } } })
})
