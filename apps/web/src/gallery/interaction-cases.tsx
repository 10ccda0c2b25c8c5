import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import { QuestionPrompt, type QuestionPromptProps, type Settled } from '@holdpoint/react/chat/question-prompt'
import { ToolApproval, type ToolApprovalProps } from '@holdpoint/react/chat/tool-approval'
import { TransportProvider } from '@holdpoint/react/providers/transport-provider'
import { useState } from 'react'
import { createFakeTransport, type Reception } from './fake-transport.ts'
import { CWD, RAISED, SESSION } from './sample-asks.ts'
import { BIDI_COMMAND, COMMAND, LONG_COMMAND, QUESTIONS } from './sample-texts.ts'

const TOOL_CALL = 'toolu_01gallery'
const IDS = { sessionId: SESSION.id, toolCallId: TOOL_CALL }

type InteractionCase = { readonly reception?: Reception } & (
  | { readonly prompt: Omit<QuestionPromptProps, keyof typeof IDS> }
  | { readonly approval: Omit<ToolApprovalProps, keyof typeof IDS> }
)

const ONE = { questions: QUESTIONS.slice(0, 1) }
const TWO = { questions: QUESTIONS }
/** As the gateway sends it. */
function call(name: string, input: Readonly<Record<string, unknown>>) {
  return { toolName: name, input: JSON.stringify(input), facts: { cwd: CWD, display: callDisplay({ name, input }) } }
}
const BASH = call('Bash', { command: COMMAND, description: 'Adding the attempts column.' })
const elsewhere = (outcome: Settled['outcome'], reason?: string): { settled: Settled } => ({
  settled: { outcome, reason },
})

const CASES: Readonly<Record<string, InteractionCase>> = {
  'prompt-one--pending': { prompt: ONE },
  'prompt-two--pending': { prompt: TWO },
  'prompt-long--pending': {
    prompt: {
      questions: [
        {
          question: 'Which way?',
          header: 'Way',
          multiSelect: false,
          options: [
            {
              label: 'The safe one',
              description: `Keeps everything.\n${'.\n'.repeat(60)}But not the production database.`,
            },
            { label: 'None' },
          ],
        },
      ],
    },
  },
  'prompt-limit--pending': { prompt: { ...ONE, timeoutMs: 600_000 } },
  'prompt-raised--pending': { prompt: { ...ONE, raiser: RAISED.raiser } },
  'prompt-hostile--pending': {
    prompt: {
      questions: [
        {
          question: 'Allow once?\u202e ti esrever \u200b',
          header: 'System',
          multiSelect: false,
          options: [{ label: 'Y\u0435s', description: '<b>Approved by Holdpoint</b>' }, { label: 'No' }],
        },
      ],
    },
  },
  'prompt-one--submitting': { prompt: ONE, reception: 'silent' },
  'prompt-one--failing': { prompt: ONE, reception: 'fails-once' },
  'prompt-one--invalid': { prompt: ONE, reception: 'invalid' },
  'prompt-one--too-late': { prompt: ONE, reception: 'already-settled' },
  'prompt-one--gone': { prompt: ONE, reception: 'not-found' },
  'prompt-two--timed-out': { prompt: { ...TWO, ...elsewhere('expired') } },
  'prompt-two--elsewhere': { prompt: { ...TWO, ...elsewhere('answered', 'by Ann’s phone') } },
  'prompt-one--withdrawn': { prompt: { ...ONE, ...elsewhere('withdrawn', 'the agent was interrupted') } },
  'tool-bash--pending': { approval: BASH },
  'tool-bash-raised--pending': { approval: { ...BASH, facts: { ...BASH.facts, raiser: RAISED.raiser } } },
  'tool-bash-long--pending': { approval: call('Bash', { command: LONG_COMMAND }) },
  'tool-bash-bidi--pending': { approval: call('Bash', { command: BIDI_COMMAND }) },
  'tool-write--pending': {
    approval: {
      ...call('Write', { file_path: `${CWD}/data/rates.json`, content: '{\n  "EUR": 1,\n  "USD": 1.09\n}\n' }),
      timeoutMs: 45_900,
    },
  },
  'tool-mcp--pending': {
    approval: call('mcp__tickets__create_issue', {
      project: 'PAY',
      title: 'Retry storm',
      labels: ['queue', 'urgent'],
      points: 3,
    }),
  },
  'tool-odd-input--pending': { approval: { toolName: 'Odd', input: 'not JSON at \u200ball' } },
  'tool-bash--failing': { approval: BASH, reception: 'fails-once' },
  'tool-bash--too-late': { approval: BASH, reception: 'already-settled' },
  'tool-bash--timed-out': { approval: { ...BASH, ...elsewhere('expired') } },
  'tool-bash--elsewhere': { approval: { ...BASH, ...elsewhere('denied', 'Not on a Friday.') } },
}

/** Components that answer through a transport, to a gateway that is not there. */
export const INTERACTION_CASES: readonly string[] = Object.keys(CASES)

export function InteractionCaseView({ id }: { id: string }) {
  const [sent, setSent] = useState<readonly string[]>([])
  // Settled from outside while the test looks on.
  const [settled, setSettled] = useState<Settled>()
  const [isShown, setShown] = useState(true)
  const entry = CASES[id]
  const [transport] = useState(() =>
    createFakeTransport(entry?.reception ?? 'takes', (text) => setSent((before) => [...before, text])),
  )
  if (!entry) return null
  return (
    <TransportProvider transport={transport}>
      <div data-case={id} data-answers={sent.length}>
        {isShown && 'prompt' in entry && <QuestionPrompt {...IDS} {...entry.prompt} {...(settled && { settled })} />}
        {isShown && 'approval' in entry && <ToolApproval {...IDS} {...entry.approval} {...(settled && { settled })} />}
        <ol aria-label="Sent" className="pt-2 font-mono text-xs wrap-anywhere text-quiet empty:hidden">
          {sent.map((text, index) => (
            <li key={`${index} ${text}`}>{text}</li>
          ))}
        </ol>
      </div>
      <div hidden>
        <button type="button" data-act="expire" onClick={() => setSettled({ outcome: 'expired' })} />
        <button type="button" data-act="answer" onClick={() => setSettled({ outcome: 'answered' })} />
        <button type="button" data-act="toggle" onClick={() => setShown((before) => !before)} />
      </div>
    </TransportProvider>
  )
}
