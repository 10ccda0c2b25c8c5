import { Dialog } from '@holdpoint/react/ui/dialog'
import { Kbd } from '@holdpoint/react/ui/kbd'

const KEYS: readonly { readonly title: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Anywhere',
    keys: [
      ['g i', 'Go to the inbox'],
      ['g s', 'Go to the sessions'],
      ['n', 'New session'],
      ['Ctrl K', 'Go to any session, project or page; also while you type. On a Mac also ⌘ K'],
      ['?', 'This list'],
    ],
  },
  {
    title: 'Inbox',
    keys: [
      ['j', 'Next ask'],
      ['k', 'Previous ask'],
      ['/', 'Filter; Esc leads back to the asks'],
      ['v', 'Lines or whole cards'],
      ['Enter', 'Open a line'],
      ['x', 'Select this ask'],
      ['Shift X', 'Select all that are shown'],
      ['Shift A', 'Allow the selected ones'],
      ['Shift D', 'Deny the selected ones'],
      ['Esc', 'Close the line, clear the selection, then the filter'],
    ],
  },
  {
    title: 'New session',
    keys: [
      ['↓ ↑', 'Go through the folders'],
      ['Enter', 'Take the marked folder'],
      ['Ctrl Enter', 'Start, from the first message'],
    ],
  },
  {
    title: 'Thread',
    keys: [
      ['Ctrl F', 'Search all of it, with the focus in it; once more, the browser’s search'],
      ['Enter', 'Older hit'],
      ['Shift Enter', 'Newer hit'],
    ],
  },
  {
    title: 'Message box',
    keys: [
      ['Enter', 'Send'],
      ['Shift Enter', 'New line'],
      ['/', 'Commands of the agent, at the beginning'],
      ['@', 'Files of the folder'],
      ['↑', 'In an empty box: what you sent before'],
      ['Esc', 'Stop the agent, while nothing waits for you'],
    ],
  },
  {
    title: 'Terminal',
    keys: [
      ['Shift Esc', 'Stop typing into it'],
      ['Shift PgUp', 'Scroll back'],
    ],
  },
  {
    title: 'On a card',
    keys: [
      ['a', 'Allow once'],
      ['d', 'Deny, with a reason if you like'],
      ['e', 'Edit, then allow'],
      ['r', 'Allow and remember'],
      ['1 – 9', 'Choose an option of a question'],
      ['Ctrl Enter', 'Send the form'],
    ],
  },
]

export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keys">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields. */}
      <div
        role="group"
        aria-label="All keys"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is longer than a phone, and the keyboard has to scroll it.
        tabIndex={0}
        className="rounded-lg outline-offset-4 focus-visible:outline-2 focus-visible:outline-accent sm:columns-2 sm:gap-6"
      >
        {KEYS.map(({ title, keys }) => (
          <section key={title} className="break-inside-avoid pb-5">
            <h3 className="mb-1.5 text-xs font-semibold text-faint">{title}</h3>
            <dl className="flex flex-col gap-1.5">
              {keys.map(([key, meaning]) => (
                <div key={key} className="flex items-baseline gap-2 text-sm">
                  <dt className="flex w-20 shrink-0 gap-1">
                    {key
                      .split(' ')
                      .map((part) => (part === '–' ? <span key={part}>–</span> : <Kbd key={part}>{part}</Kbd>))}
                  </dt>
                  <dd className="text-quiet">{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="text-xs text-faint">Single letters do nothing while you type.</p>
    </Dialog>
  )
}
