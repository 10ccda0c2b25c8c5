import { AskCard } from '@holdpoint/react/cards/ask-card'
import { useState, useSyncExternalStore } from 'react'
import { CASES, type Case } from './cases.ts'
import { CHAT_CASE, ChatCaseView } from './chat-case.tsx'
import { INTERACTION_CASES, InteractionCaseView } from './interaction-cases.tsx'
import { LIVE_CASES, LiveCase } from './live-cases.tsx'
import { PERMISSION_CASES, PermissionCaseView } from './permission-cases.tsx'
import { REAL_CASES, RealCaseView } from './real-cases.tsx'
import { NOW, SESSION } from './sample-asks.ts'
import { TERMINAL_CASES, TerminalCaseView } from './terminal-case.tsx'

/** `?case=ID` or `#ID` shows one case, `?all` every fixed one that is not huge, nothing the list. `&theme=dark` or `light` sets the theme. */
export function Gallery({ search }: { search: string }) {
  const query = new URLSearchParams(search)
  const hash = useSyncExternalStore(subscribeToHash, () => window.location.hash)
  const id = hash === '' ? query.get('case') : hash.slice(1)
  const chosen = CASES.find((entry) => entry.id === id)
  return (
    <main className="mx-auto max-w-[54rem] px-3 py-4 sm:px-6 sm:py-6">
      <h1 className={id === null && !query.has('all') ? 'pb-4 text-xl font-semibold' : 'sr-only'}>Gallery of cards</h1>
      <h2 className="sr-only">Cards</h2>
      {chosen && <FixedCase key={id} entry={chosen} />}
      {id !== null && LIVE_CASES.includes(id) && <LiveCase key={id} id={id} />}
      {id !== null && INTERACTION_CASES.includes(id) && <InteractionCaseView key={id} id={id} />}
      {id === CHAT_CASE && <ChatCaseView />}
      {id !== null && REAL_CASES.includes(id) && (
        <RealCaseView key={id} id={id} sessionId={query.get('session') ?? ''} />
      )}
      {id !== null && PERMISSION_CASES.includes(id) && <PermissionCaseView key={id} id={id} />}
      {id !== null && TERMINAL_CASES.includes(id) && <TerminalCaseView key={id} id={id} />}
      {id === null && query.has('all') && (
        <div className="flex flex-col gap-6">
          {CASES.filter((entry) => !entry.huge).map((entry) => (
            <FixedCase key={entry.id} entry={entry} />
          ))}
        </div>
      )}
      {id === null && !query.has('all') && <Index />}
    </main>
  )
}

/** From case to case without a new page, which is what takes the time. */
function subscribeToHash(listener: () => void) {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

function Index() {
  return (
    <ul className="columns-1 text-sm sm:columns-2">
      {[
        ...CASES.map((entry) => entry.id),
        ...LIVE_CASES,
        ...INTERACTION_CASES,
        ...PERMISSION_CASES,
        ...TERMINAL_CASES,
        CHAT_CASE,
      ].map((id) => (
        <li key={id}>
          <a href={`?case=${id}`} className="inline-block py-1 text-accent hover:underline">
            {id}
          </a>
        </li>
      ))}
    </ul>
  )
}

function FixedCase({ entry }: { entry: Case }) {
  const [answers, setAnswers] = useState<readonly string[]>([])
  return (
    <div data-case={entry.id} data-answers={answers.length}>
      <AskCard
        ask={entry.ask}
        session={entry.session ?? SESSION}
        now={NOW}
        onAnswer={(ask, answer) => setAnswers((before) => [...before, JSON.stringify({ id: ask.id, ...answer })])}
        onCancelWaiting={() => setAnswers((before) => [...before, 'cancelled'])}
        blocked={entry.blocked}
        machine={entry.machine}
        undelivered={entry.undelivered === true}
        notices={entry.notices}
        rules={entry.rules}
        {...(entry.state && { state: entry.state })}
      />
      <ol aria-label="Answers sent" className="pt-2 font-mono text-xs text-quiet empty:hidden">
        {answers.map((answer, index) => (
          <li key={`${index} ${answer}`}>{answer}</li>
        ))}
      </ol>
    </div>
  )
}
