import type { AskRequest } from '@holdpoint/schema/ask'
import { ASKS_PER_SECOND } from './ask-rate.ts'
import type { Clock } from './clock.ts'
import { DriverError } from './driver.ts'
import { MAX_OPEN_ASKS, MAX_OPEN_SIZE, MAX_OPEN_SIZE_IN_ALL } from './open-room.ts'
import { MAX_INPUT_LENGTH, type RaiseRefusal } from './raising.ts'

const NOTICE_EVERY_MS = 60_000
/** What the agent is told where there is no more to say. */
const NOT_ASKED = {
  not_found: 'nobody was asked: this session no longer exists',
  wrong_epoch: 'nobody was asked: another agent process has taken over this session',
  session_ended: 'nobody was asked: this session has ended',
  session_frozen: 'nobody was asked: this session is frozen after an alarm',
  duplicate_request: 'nobody was asked: another call had the same request id',
} as const satisfies Partial<Record<RaiseRefusal, string>>
const millions = (count: number) => `${count / 1_000_000} million`

/** What the agent of one session, and the people who follow it, are told of asks that were not put on record. */
export function createRefusedRaises(options: { readonly clock: Clock; readonly tell: (text: string) => void }) {
  const quietUntil = new Map<RaiseRefusal, number>()
  /** Whether people know that there is no room for more asks. */
  let isFull = false

  function errorFor(refusal: RaiseRefusal, request: AskRequest): DriverError {
    if (refusal === 'changed') {
      return new DriverError(
        refusal,
        'something that this call acts on has changed since it was allowed: call it again',
      )
    }
    if (refusal === 'too_fast') return tooFast()
    if (refusal === 'too_much_open' || refusal === 'too_many_open') return noRoom(refusal)
    const tool = request.tool?.name.slice(0, 100) ?? request.kind
    if (refusal === 'duplicate_request')
      tellOnceAMinute(refusal, `${tool} was refused without asking you: another call had the same request id.`)
    if (refusal !== 'too_large') return new DriverError(refusal, NOT_ASKED[refusal])
    const limit = `more than ${MAX_INPUT_LENGTH.toLocaleString('en')} characters, which is too much to show to a person`
    const text = `${tool} was refused without asking you: its input, or what it changes, has ${limit}.`
    // A person has to hear of it too: from where they sit, nothing was asked.
    options.tell(text)
    return new DriverError(refusal, `the input, or what it changes, has ${limit}; split it into smaller calls`)
  }

  function tooFast(): DriverError {
    tellOnceAMinute(
      'too_fast',
      `The agent asks too fast. Asks beyond ${ASKS_PER_SECOND} per second are refused without asking you.`,
    )
    return new DriverError('too_fast', 'too many calls asked for permission in a short time: stop and think')
  }

  /** An agent in a loop would fill the thread with it. */
  function tellOnceAMinute(refusal: RaiseRefusal, text: string) {
    const now = options.clock.monotonic()
    if (now < (quietUntil.get(refusal) ?? now)) return
    quietUntil.set(refusal, now + NOTICE_EVERY_MS)
    options.tell(text)
  }

  /** An agent that has more and more to ask is told each time; people once, until an ask is taken again. */
  function noRoom(refusal: RaiseRefusal): DriverError {
    const sizes = `${millions(MAX_OPEN_SIZE)} characters in a session, ${millions(MAX_OPEN_SIZE_IN_ALL)} in all`
    const limits = refusal === 'too_many_open' ? `${MAX_OPEN_ASKS} asks of one agent` : sizes
    const text = `Calls were refused without asking you, because the limit of open asks is reached (${limits}). Answer some of them.`
    if (!isFull) options.tell(text)
    isFull = true
    return new DriverError(
      refusal,
      'too much already waits for a person, so nobody was asked; wait until some of it is answered, then try again',
    )
  }

  return {
    /** What the agent is told. People are told where nothing else would show it to them. */
    errorFor,
    /** An ask was put on record: there is room again. */
    taken() {
      isFull = false
    },
  }
}
