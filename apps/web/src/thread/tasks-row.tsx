import { VisibleText } from '@holdpoint/react/text/visible-text'
import { ListTodo, Square, SquareCheck, SquareDot } from 'lucide-react'
import { Fold } from './fold.tsx'
import type { Task } from './task-list.ts'

export interface TasksRowProps {
  readonly tasks: readonly Task[]
  readonly expanded: boolean
  onToggle(): void
}

/** What the agent plans to do, and how far it is. */
export function TasksRow({ tasks, expanded, onToggle }: TasksRowProps) {
  const done = tasks.filter(({ state }) => state === 'done').length
  return (
    <Fold
      expanded={expanded}
      onToggle={onToggle}
      label={
        <span className="flex min-w-0 items-center gap-2">
          <ListTodo aria-hidden className="size-4 shrink-0 text-quiet" />
          <span className="font-medium">To do</span>
          <span className="text-quiet">
            {done} of {tasks.length} done
          </span>
        </span>
      }
    >
      <ul aria-label="To do" className="flex flex-col gap-1 text-[13px]">
        {tasks.map((task, place) => (
          <TaskLine key={place} task={task} />
        ))}
      </ul>
    </Fold>
  )
}

const STATES = {
  open: { icon: Square, look: 'text-faint', words: 'open' },
  doing: { icon: SquareDot, look: 'text-accent', words: 'in progress' },
  done: { icon: SquareCheck, look: 'text-allow', words: 'done' },
} as const

function TaskLine({ task: { text, number, state } }: { task: Task }) {
  const { icon: Icon, look, words } = STATES[state]
  return (
    <li className="flex items-start gap-2">
      <Icon aria-label={words} className={`mt-0.5 size-4 shrink-0 ${look}`} />
      <span className={`min-w-0 ${state === 'done' ? 'text-quiet' : ''} ${state === 'doing' ? 'font-medium' : ''}`}>
        <VisibleText text={text ?? `Task ${number}`} />
      </span>
    </li>
  )
}
