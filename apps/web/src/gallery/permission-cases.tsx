import { PermissionModal } from '@holdpoint/react/chat/permission-modal'
import { usePermissions } from '@holdpoint/react/hooks/use-permissions'
import { HoldpointProvider } from '@holdpoint/react/providers/holdpoint-provider'
import type { Ask } from '@holdpoint/schema/ask'
import { useState } from 'react'
import { type Behaviour, createFakeClient, type FakeClient } from './fake-client.ts'
import { bash, CWD, edit, plan, question, RAISED, SESSION, tool } from './sample-asks.ts'
import { COMMAND, DIFF, LONG_COMMAND, PLAN, QUESTIONS } from './sample-texts.ts'

interface PermissionCase {
  asks(): readonly Ask[]
  readonly behaviour?: Behaviour
}

const NEW_FILE = `--- /dev/null
+++ data/rates.json
@@ -0,0 +1,4 @@
+{
+  "EUR": 1,
+  "USD": 1.09
+}
`

const CASES: Readonly<Record<string, PermissionCase>> = {
  'permission-bash': { asks: () => [bash(COMMAND, {}, { description: 'Adding the attempts column.' })] },
  'permission-bash-raised': { asks: () => [bash(COMMAND, RAISED)] },
  'permission-bash-long': { asks: () => [bash(LONG_COMMAND)] },
  'permission-bash-default-no': {
    asks: () => [bash('rm -rf ~/Library/Caches', { flags: { defaultToNo: true, noRemember: true } })],
  },
  'permission-edit': { asks: () => [edit(DIFF, { subagent: 'migrate-tables' })] },
  'permission-write': {
    asks: () => [
      tool(
        'Write',
        { file_path: `${CWD}/data/rates.json`, content: '{\n  "EUR": 1,\n  "USD": 1.09\n}\n' },
        { context: { cwd: CWD, filePath: `${CWD}/data/rates.json`, diff: NEW_FILE } },
      ),
    ],
  },
  'permission-web-fetch': {
    asks: () => [
      tool(
        'WebFetch',
        { url: 'https://docs.example/limits', prompt: 'Summarise the limits.' },
        { context: { cwd: CWD, url: 'https://docs.example/limits' } },
      ),
    ],
  },
  'permission-mcp': {
    asks: () => [
      tool('mcp__tickets__create_issue', { project: 'PAY', title: 'Retry storm', labels: ['queue'], points: 3 }),
    ],
  },
  'permission-plan': { asks: () => [plan(PLAN)] },
  'permission-queue': {
    asks: () => [bash('npm ci'), question(QUESTIONS), bash('npm test -- queue'), edit(DIFF), plan(PLAN)],
  },
  'permission-unreachable': { asks: () => [bash('npm ci'), bash('npm test')], behaviour: 'unreachable' },
  'permission-lost-race': { asks: () => [bash('npm ci'), bash('npm test')], behaviour: 'lost-race' },
}

/** The dialog of `usePermissions`, with a gateway in this page. */
export const PERMISSION_CASES: readonly string[] = Object.keys(CASES)

export function PermissionCaseView({ id }: { id: string }) {
  const [answers, setAnswers] = useState<readonly string[]>([])
  const [client] = useState(() =>
    createFakeClient(CASES[id]?.asks() ?? [], CASES[id]?.behaviour ?? 'settles', (ask, answer, attempts) =>
      setAnswers((before) => [
        ...before,
        JSON.stringify({ command: ask.context.command, bound: answer.digest === ask.digest, ...answer, attempts }),
      ]),
    ),
  )
  return (
    <HoldpointProvider client={client}>
      <Permissions id={id} client={client} />
      <ol
        aria-label="Answers sent"
        data-answers={answers.length}
        className="pt-4 font-mono text-xs wrap-anywhere text-quiet"
      >
        {answers.map((answer, index) => (
          <li key={`${index} ${answer}`}>{answer}</li>
        ))}
      </ol>
    </HoldpointProvider>
  )
}

function Permissions({ id, client }: { id: string; client: FakeClient }) {
  const { pendingQueue, currentRequest, reply, dismiss, error } = usePermissions(SESSION.id)
  return (
    <div data-case={id} data-queue={pendingQueue.length}>
      <button type="button" className="min-h-11 px-2 text-sm text-quiet">
        {pendingQueue.length === 0 ? 'Nothing waits' : `${pendingQueue.length} wait`}
      </button>
      <PermissionModal
        request={currentRequest}
        onReply={reply}
        onClose={dismiss}
        waiting={pendingQueue.length - 1}
        error={error}
      />
      <button
        type="button"
        hidden
        data-act="withdraw"
        onClick={() => {
          const first = client.getState().asks.find((ask) => ask.id === currentRequest?.id)
          if (first) client.withdraw(first)
        }}
      />
    </div>
  )
}
