import type { Question } from './scenarios.ts'

export const welcome = {
  intro:
    'Hello! I am the demo agent: the real Claude Code, with a script in place of a model. Nothing here costs anything, and I only touch this session’s own scratch folder.\n\n' +
    'I would like to run a command, so I stop and wait for you. **Allow** runs it once, exactly as the card shows it. **Deny** means it never runs, and I carry on with something else.',
  allowed: 'Thank you. It ran, once, as you allowed it.',
  refused: (told: string) =>
    `Understood: that did not happen, and that is fine.${told === '' ? '' : ` What reached me was: “${told}”`}`,
} as const

export const written = {
  intro:
    'Next, a new file. The card shows every line I want to write before any of it reaches the disk. Allow it if it looks right to you.',
  content: ['export function greet(name) {', "  return 'Hello ' + name", '}', ''].join('\n'),
  skipped: 'Without that file there is nothing to edit, so I leave out the next step.',
} as const

export const edited = {
  intro:
    'Now I change that file. This time the card is a diff: what goes is red, what comes is green. Deny it and the file stays as it is.',
  oldText: ['export function greet(name) {', "  return 'Hello ' + name"].join('\n'),
  newText: ["export function greet(name = 'you') {", '  return `Hello, $' + '{name}!`'].join('\n'),
  allowed: 'The change is in.',
  /** A person has changed the file before it was written, so that the edit does not fit. */
  again:
    'You changed the file, so my edit does not fit it any more. I write the whole file anew instead: the diff shows what that takes from your version and what it adds. Deny it to keep yours.',
  content: ["export function greet(name = 'you') {", '  return `Hello, $' + '{name}!`', '}', ''].join('\n'),
} as const

const list: readonly Question[] = [
  {
    question: 'How should the greeting look?',
    header: 'Greeting',
    multiSelect: false,
    options: [
      { label: 'Plain', description: 'One short line', preview: 'Hello, Ada!' },
      {
        label: 'Framed',
        description: 'A box around it',
        preview: ['+-------------+', '| Hello, Ada! |', '+-------------+'].join('\n'),
      },
      { label: 'Loud', description: 'Capitals', preview: 'HELLO, ADA!' },
    ],
  },
  {
    question: 'Which languages should it know?',
    header: 'Languages',
    multiSelect: true,
    options: [
      { label: 'English', description: 'Hello' },
      { label: 'French', description: 'Bonjour' },
      { label: 'German', description: 'Guten Tag' },
      { label: 'Japanese', description: 'こんにちは' },
    ],
  },
]

export const questions = {
  intro:
    'Sometimes I need your opinion more than your permission. Here are two questions: one answer for the first, as many as you like for the second. You can write your own answer, or skip them and I will be told that you did.',
  list,
  skipped: 'You skipped the questions. That is fine: I was told so, and go on without your opinion.',
  answered: (text: string) => `This is what reached me:\n\n> ${text.split('\n', 1)[0]}`,
} as const

const steps = [
  '1. Send out two helpers at the same time.',
  '2. Let each of them leave a note in this folder.',
  '3. Say goodbye.',
]
const content = ['# The rest of the tour', '', ...steps, ''].join('\n')

export const plan = {
  intro: 'For bigger work I make a plan first and change nothing until you approve it. I am going into plan mode now.',
  writing:
    'First I write the plan into a file. My plans are kept in Holdpoint’s own folder, which is guarded: every change there is put to you, also a harmless one like this. Allow it, and the plan itself is the next card.',
  unwritten: 'Without its file there is no plan to show, so I do none of it.',
  showing:
    'Here is the plan. You can approve it, change its words first, or send it back with a comment. I do nothing of it before that.',
  content,
  approved: 'The plan is approved, so I keep to it.',
  sentBack: (told: string) => `You sent the plan back, so I change it.${told === '' ? '' : ` Your comment: “${told}”`}`,
  changed: (told: string) => `${content}\n## Changed after your comment\n\n> ${told || 'No reason was given.'}\n`,
  showingAgain: 'This is the changed plan. A second no is fine, too: then I stop here.',
  rejected: 'You turned the plan down, so I do none of it. That is what plans are for.',
} as const

export const helperTasks = {
  intro:
    'Last, two helpers at once. Each works for itself and asks for itself, so two cards are open at the same time. Answer them in any order.',
  list: [
    {
      name: 'First helper',
      prompt: 'You are the first helper of the tour. Leave a note.',
      command: 'date > first-helper.txt',
    },
    {
      name: 'Second helper',
      prompt: 'You are the second helper of the tour. Leave a note.',
      command: 'date > second-helper.txt',
    },
  ],
  done: 'I left my note.',
  unknown: 'I know only the tour, and this is not part of it.',
  finished: 'Both helpers have reported back.',
} as const

export const goodbye = {
  end: 'That was the tour. Every ask, every answer and who gave it is kept in the history. Write **again** to see it once more, or start a session with a real agent when you are ready.',
  afterwards:
    'I am only a script, so the tour is all I know. Write **again** and I start it over; for real work, start a session with a real agent.',
} as const
