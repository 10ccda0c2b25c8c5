import type { AnswerState, RuleOffers } from '@holdpoint/react/cards/ask-card'
import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskNotices } from '@holdpoint/schema/notification'
import type { Session } from '@holdpoint/schema/session'
import { MACHINE_CASES } from './machine-cases.ts'
import { bash, CWD, edit, form, NOW, plan, question, RAISED, SESSION, tool } from './sample-asks.ts'
import { noticesOf } from './sample-notices.ts'
import { offersOf } from './sample-offers.ts'
import {
  BIDI_COMMAND,
  COMMAND,
  DIFF,
  FILLED_IN_SCHEMA,
  FORM_SCHEMA,
  HIDING_PLAN,
  HUGE_JSON,
  LONG_COMMAND,
  LONG_DIFF,
  LONG_FORM_SCHEMA,
  LONG_PLAN,
  PADDED_COMMAND,
  PLAN,
  PREVIEW_QUESTION,
  QUESTIONS,
} from './sample-texts.ts'
import { SETTLED_CASES } from './settled-cases.ts'

/** One card in one state, with fixed data: the same picture each time. */
export interface Case {
  /** Kind, variant and state: `approval-bash--pending`. */
  readonly id: string
  readonly ask: Ask
  readonly state?: AnswerState
  readonly session?: Session
  readonly blocked?: string
  readonly machine?: KnownMachine
  readonly undelivered?: true
  readonly notices?: AskNotices
  readonly rules?: RuleOffers
  /** Hundreds or thousands of lines: a page of its own, so that the page of all the others stays quick. */
  readonly huge?: boolean
}

const COMMAND_SAYS = { description: 'Adding the attempts column before backfilling.' }
/** What was two lines becomes one. */
const TAKEN_LINE = `--- clean.sh
+++ clean.sh
@@ -1,4 +1,3 @@
 #!/bin/sh
-rm -rf "$TMP/x" # keep
-/important
+rm -rf "$TMP/x"/important
 echo done
`
const CELL = `--- cell 4 of 9 (code), outputs emptied
+++ cell 4 of 9 (code), outputs emptied
@@ -1,4 +1,4 @@
 import pandas as pd
 
-rates = pd.read_json("rates.json")
+rates = pd.read_json("data/rates.json")
 rates.head()
`
const LINE_ENDS = `--- run.bat
+++ run.bat
@@ -1,3 +1,3 @@
-echo one\r
-echo two\r
-echo two
\\ No newline at end of file
+echo one
+echo 2
+echo 2
`
const LINKED_FILE = '/home/ann/code/shared-queue/src/backoff.ts'
const LINKED_DIFF = DIFF.replace(/^(---|\+\+\+) .*$/gm, `$1 ${LINKED_FILE}`)
const LINK = 'https://login.tickets.example/oauth/authorize?client=holdpoint&scope=issues%3Awrite&state=9f2c'

const OPEN: readonly Case[] = [
  { id: 'approval-bash--pending', ask: bash(COMMAND, {}, COMMAND_SAYS) },
  { id: 'approval-bash-notified--pending', ask: bash(COMMAND), notices: noticesOf(bash(COMMAND)) },
  {
    id: 'approval-bash-asked-because--pending',
    ask: bash('psql -c "select 1"', {
      askedBecause: {
        reason: '`Bash(psql *)` asks about `psql -c "select 1"`.',
        rule: 'rul_01kdzzzzzzgallery0000000001',
        why: 'It may change the database, and nobody has a copy of it.',
      },
    }),
  },
  {
    id: 'approval-bash-rules--pending',
    ask: bash('git log --oneline -5'),
    rules: offersOf({
      rules: [
        { pattern: 'Bash(git log --oneline -5)', says: 'Exactly this command.' },
        {
          pattern: 'Bash(git log *)',
          says: '`git log` with any other arguments, as long as it only reads inside the project.',
        },
      ],
      suggested: [{ pattern: 'Bash(git log:*)', says: 'Always allow Bash(git log:*) (localSettings)' }],
    }),
  },
  {
    id: 'approval-bash-no-rule--pending',
    ask: bash('$(cat build.sh)', { remember: undefined, filesUnknown: 'It may run files that are not named here.' }),
    rules: offersOf({ why: 'There is no rule to propose for this call. `$(…)` is known only at run time.' }),
  },
  {
    id: 'approval-edit-rules--pending',
    ask: edit(DIFF),
    rules: offersOf({
      rules: [
        { pattern: 'Edit(//home/ann/app/src/queue/backoff.ts)', says: 'Changing this file.' },
        {
          pattern: 'Edit(/src/queue/**)',
          says: 'Changing any file in or below `src/queue` of a project, except hidden files.',
        },
        { pattern: 'Edit(/src/**)', says: 'Changing any file in or below `src` of a project, except hidden files.' },
      ],
    }),
  },
  {
    id: 'approval-bash-options--pending',
    ask: bash('npm run dev', {}, { run_in_background: true, timeout: 600_000, description: 'Starting the server.' }),
  },
  {
    id: 'approval-bash-secret--pending',
    ask: bash(`curl -H 'Authorization: Bearer ${'aB3dE5fG7h'.repeat(3)}' https://api.example.com/v1/charges`),
  },
  { id: 'approval-bash-subagent--pending', ask: bash('npm test -- queue', { subagent: 'migrate-tables' }) },
  { id: 'approval-bash-expiring--pending', ask: bash('npm publish', { expiresAt: NOW + 48_000 }) },
  {
    id: 'approval-bash-default-no--pending',
    ask: bash('rm -rf ~/Library/Caches', {
      flags: { defaultToNo: true, noRemember: true },
      decisionReason: 'The command removes files outside of the folder.',
    }),
  },
  {
    id: 'approval-bash-appeal--pending',
    ask: bash('sh scripts/reset-staging.sh --drop-tables', {
      appeal: { reason: 'The script drops tables of a shared database. The user asked for a read-only report.' },
      remember: undefined,
      files: [{ path: `${CWD}/scripts/reset-staging.sh`, use: 'runs', sha256: 'a'.repeat(64) }],
    }),
  },
  {
    id: 'approval-bash-no-remember--pending',
    ask: bash('git push --force-with-lease', {
      flags: { defaultToNo: false, noRemember: true },
      matchedAskRule: { source: 'userSettings', rule: 'Bash(git push:*)' },
    }),
  },
  {
    id: 'approval-bash-runs--pending',
    ask: bash('node --import ./env.mjs --import ./missing.mjs backfill.mjs', {
      files: [
        { path: `${CWD}/env.mjs`, use: 'runs', sha256: 'a'.repeat(64) },
        { path: `${CWD}/backfill.mjs`, use: 'runs', sha256: 'b'.repeat(64) },
        { path: `${CWD}/missing.mjs`, use: 'runs', sha256: null },
      ],
    }),
  },
  {
    id: 'approval-bash-files-unknown--pending',
    ask: bash('for f in tools/*; do "$f"; done', {
      filesUnknown: 'The command has a loop or a condition in it.',
    }),
  },
  {
    id: 'approval-bash-other-folder--pending',
    ask: bash('sh build.sh', {
      context: { cwd: `${CWD}/packages/worker/vendor/sub`, command: 'sh build.sh' },
      files: [{ path: `${CWD}/packages/worker/vendor/sub/build.sh`, use: 'runs', sha256: 'a'.repeat(64) }],
    }),
  },
  {
    id: 'approval-bash-no-folder--pending',
    ask: bash('npm test', { context: { command: 'npm test' }, remember: undefined }),
  },
  {
    id: 'approval-bash-again--pending',
    ask: bash('sh build.sh', {
      replaces: 'ask_01kdzzzzzzgallery0000000000',
      files: [{ path: `${CWD}/build.sh`, use: 'runs', sha256: 'a'.repeat(64) }],
    }),
  },
  { id: 'approval-bash-long--pending', ask: bash(LONG_COMMAND), huge: true },
  { id: 'approval-bash-bidi--pending', ask: bash(BIDI_COMMAND, {}, { description: 'Just copies a text file.' }) },
  { id: 'approval-bash-padded--pending', ask: bash(PADDED_COMMAND) },
  {
    id: 'approval-edit--pending',
    ask: edit(DIFF, { context: { cwd: CWD, filePath: `${CWD}/src/queue/backoff.ts`, diff: DIFF } }),
  },
  {
    id: 'approval-edit-takes-line--pending',
    ask: edit(TAKEN_LINE, {
      tool: { name: 'Edit', input: { file_path: `${CWD}/clean.sh`, old_string: ' # keep', new_string: '' } },
      context: { cwd: CWD, filePath: `${CWD}/clean.sh`, diff: TAKEN_LINE },
    }),
  },
  {
    id: 'approval-edit-line-ends--pending',
    ask: edit(LINE_ENDS, {
      tool: {
        name: 'Edit',
        input: { file_path: `${CWD}/run.bat`, old_string: 'echo two', new_string: 'echo 2', replace_all: true },
      },
      context: { cwd: CWD, filePath: `${CWD}/run.bat`, diff: LINE_ENDS },
    }),
  },
  {
    id: 'approval-edit-again--pending',
    ask: edit(DIFF, {
      replaces: 'ask_01kdzzzzzzgallery0000000000',
      files: [{ path: `${CWD}/src/queue/backoff.ts`, use: 'edits', sha256: 'a'.repeat(64) }],
    }),
  },
  {
    id: 'approval-edit-link--pending',
    ask: edit(LINKED_DIFF, {
      context: {
        cwd: CWD,
        filePath: `${CWD}/src/queue/backoff.ts`,
        diff: LINKED_DIFF,
        blockedPath: LINKED_FILE,
      },
      files: [{ path: LINKED_FILE, use: 'edits', sha256: 'a'.repeat(64) }],
      decisionReason: `${CWD}/src/queue/backoff.ts resolves through a symlink to ${LINKED_FILE}, which is outside the allowed working directories`,
    }),
  },
  {
    id: 'approval-notebook--pending',
    ask: tool(
      'NotebookEdit',
      {
        notebook_path: `${CWD}/analysis.ipynb`,
        cell_id: 'cell-3',
        cell_type: 'code',
        edit_mode: 'replace',
        new_source: 'import pandas as pd\n\nrates = pd.read_json("data/rates.json")\nrates.head()\n',
      },
      { context: { cwd: CWD, filePath: `${CWD}/analysis.ipynb`, diff: CELL }, remember: undefined },
    ),
  },
  { id: 'approval-edit-long--pending', ask: edit(LONG_DIFF), huge: true },
  {
    id: 'approval-write-no-diff--pending',
    ask: tool(
      'Write',
      { file_path: `${CWD}/data/rates.json`, content: '{\n  "EUR": 1,\n  "USD": 1.09\n}\n' },
      {
        context: {
          cwd: CWD,
          filePath: `${CWD}/data/rates.json`,
          diffOmitted: 'the file is not text',
          blockedPath: `${CWD}/data/rates.json`,
        },
      },
    ),
  },
  {
    id: 'approval-multi-edit--pending',
    ask: tool(
      'MultiEdit',
      {
        file_path: `${CWD}/src/queue/claim.ts`,
        edits: [
          { old_string: 'limit 1', new_string: 'limit 10' },
          { old_string: 'skip locked', new_string: 'skip locked\n  order by next_try_at', replace_all: true },
        ],
      },
      { context: { cwd: CWD, filePath: `${CWD}/src/queue/claim.ts` } },
    ),
  },
  {
    id: 'approval-web-fetch--pending',
    ask: tool(
      'WebFetch',
      { url: 'https://accounts.google.com@evil.example/signin?next=/docs', prompt: 'Summarise the API limits.' },
      { context: { cwd: CWD, url: 'https://accounts.google.com@evil.example/signin?next=/docs' } },
    ),
  },
  {
    id: 'approval-web-search--pending',
    ask: tool('WebSearch', { query: 'postgres skip locked' }, { context: { cwd: CWD, query: 'postgres skip locked' } }),
  },
  {
    id: 'approval-mcp--pending',
    ask: {
      ...tool('mcp__tickets__create_issue', {}),
      tool: {
        name: 'mcp__tickets__create_issue',
        input: { project: 'PAY', title: 'Retry storm', labels: ['queue', 'urgent'], assignee: null, points: 3 },
        mcpServer: { name: 'tickets', source: 'project' },
      },
      agentSays: 'Files a ticket for the follow-up.',
    },
  },
  {
    id: 'approval-raised--pending',
    ask: {
      ...tool('Deploy', { to: 'production' }),
      ...RAISED,
      agentSays: 'All tests have passed.',
    },
  },
  {
    id: 'approval-raised-words--pending',
    ask: {
      ...tool('Deploy', { to: 'production' }),
      ...RAISED,
      agentSays: `All tests have passed. These ran:\n${Array.from({ length: 30 }, (_, at) => `- suite ${at + 1}`).join('\n')}`,
    },
  },
  { id: 'question-raised--pending', ask: question(QUESTIONS.slice(0, 1), RAISED) },
  { id: 'approval-huge-json--pending', ask: tool('RunReport', HUGE_JSON), huge: true },
  {
    id: 'approval-bash--submitting',
    ask: bash(COMMAND),
    state: { kind: 'submitting', answer: { kind: 'allow' }, overdue: false },
  },
  {
    id: 'approval-bash--overdue',
    ask: bash(COMMAND),
    state: { kind: 'submitting', answer: { kind: 'allow' }, overdue: true },
  },
  {
    id: 'approval-bash--failed',
    ask: bash(COMMAND),
    state: { kind: 'failed', message: 'This ask has changed: check it again. Your answer was not sent.' },
  },
  { id: 'approval-bash--gave-up', ask: bash(COMMAND), state: { kind: 'pending', gaveUp: true } },
  { id: 'approval-bash--stale', ask: bash(COMMAND), blocked: 'Not live: what you see may be old. Reconnecting…' },
  { id: 'approval-bash--frozen', ask: bash(COMMAND), session: { ...SESSION, frozen: true } },
  { id: 'question-one--pending', ask: question(QUESTIONS.slice(0, 1)) },
  {
    id: 'question-header--pending',
    ask: question(
      QUESTIONS.slice(0, 1).map((asked) => ({
        ...asked,
        header:
          'A header that is far longer than the few words that it is meant to have, and goes on over several lines',
      })),
    ),
  },
  { id: 'question-two--pending', ask: question(QUESTIONS) },
  {
    id: 'question-long--pending',
    ask: question([
      {
        question: `May I go on?\n\n${Array.from({ length: 40 }, (_, at) => `${at + 1}. Table ${at + 1} gets a new column.`).join('\n')}`,
        multiSelect: false,
        options: [{ label: 'Yes', description: 'All of it, in one go.' }, { label: 'No' }],
      },
    ]),
  },
  { id: 'question-preview--pending', ask: question([PREVIEW_QUESTION]) },
  {
    id: 'question-hostile--pending',
    ask: question([
      {
        question: 'Allow once?\u202e ti esrever \u200b',
        header: 'System',
        multiSelect: false,
        options: [{ label: 'Y\u0435s', description: '<b>Approved by Holdpoint</b>' }, { label: 'No' }],
      },
    ]),
  },
  { id: 'plan--pending', ask: plan(PLAN, { plan: { text: PLAN, filePath: '/home/ann/.claude/plans/queue.md' } }) },
  { id: 'plan-again--pending', ask: plan(PLAN, { replaces: 'ask_01kdzzzzzzgallery0000000000' }) },
  { id: 'plan-hiding--pending', ask: plan(HIDING_PLAN) },
  { id: 'plan-long--pending', ask: plan(LONG_PLAN) },
  {
    id: 'form--pending',
    ask: form({ mode: 'form', server: 'deploys', message: 'Where should the backfill run?', schema: FORM_SCHEMA }),
  },
  {
    id: 'form-filled-in--pending',
    ask: form({ mode: 'form', server: 'cleaner', message: 'What may be cleaned up?', schema: FILLED_IN_SCHEMA }),
  },
  {
    id: 'form-long--pending',
    ask: form({ mode: 'form', server: 'notes', message: 'Save these notes?', schema: LONG_FORM_SCHEMA }),
  },
  { id: 'form-url--pending', ask: form({ mode: 'url', server: 'tickets', message: 'Log in to go on.', url: LINK }) },
]

export const CASES: readonly Case[] = [...OPEN, ...MACHINE_CASES, ...SETTLED_CASES]
