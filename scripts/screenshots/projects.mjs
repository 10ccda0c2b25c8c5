// What the pictures show: projects on disk, and what the agents in them are about to do.

const queue = `export class RetryQueue {
  constructor({ send, attempts = 5 }) {
    this.send = send
    this.attempts = attempts
  }

  delay(attempt) {
    return 100 * 2 ** attempt
  }

  async run(payment) {
    for (let attempt = 0; attempt < this.attempts; attempt++) {
      try {
        return await this.send(payment)
      } catch {
        await new Promise((resolve) => setTimeout(resolve, this.delay(attempt)))
      }
    }
    throw new Error('gave up')
  }
}
`

const queueTest = `import assert from 'node:assert/strict'
import test from 'node:test'
import { RetryQueue } from '../src/retry-queue.js'

test('sends once when all is well', async () => {
  let calls = 0
  const queue = new RetryQueue({ send: async () => ++calls })
  assert.equal(await queue.run({}), 1)
})
`

/** Files by path, by project. */
export const projects = {
  'payments-api': {
    'package.json': '{ "name": "payments-api", "type": "module", "scripts": { "test": "node --test" } }\n',
    'src/retry-queue.js': queue,
    'test/retry-queue.test.js': queueTest,
  },
  storefront: { 'package.json': '{ "name": "storefront", "type": "module" }\n' },
  'docs-search': { 'package.json': '{ "name": "docs-search", "type": "module" }\n' },
  infra: { 'README.md': '# infra\n' },
}

const text = (words) => ({ type: 'text', text: words })

/** In the order in which they are started; `until` is what each of them is left in. */
export const sessions = [
  {
    name: 'upgrade',
    project: 'storefront',
    title: 'Upgrade to React 19',
    prompt: 'Which packages still hold us back from React 19?',
    until: 'user_turn',
    script: (_, { say }) => say('Two: the date picker and the old test renderer. Shall I replace them?'),
  },
  {
    name: 'checkout',
    project: 'storefront',
    title: 'Flaky checkout test',
    prompt: 'The checkout test fails about once in twenty runs. Find out why.',
    until: 'waiting',
    script: (_, { use }) => ({
      content: [
        text('I run it often enough to see it fail, and keep a trace of the first failure.'),
        use('Bash', {
          command: 'npx playwright test checkout --repeat-each=20 --workers=2 --trace=retain-on-failure',
          description: 'Run the checkout test twenty times',
        }),
      ],
    }),
  },
  {
    name: 'retry',
    project: 'payments-api',
    title: 'Retry queue rewrite',
    prompt: 'The retry queue hammers the bank when it is down. Make it polite.',
    allowFirst: true,
    until: 'waiting',
    script({ rounds }, { use, say, folder }) {
      const file = `${folder}/src/retry-queue.js`
      if (rounds.length === 0)
        return { content: [text('I read how it waits today.'), use('Read', { file_path: file })] }
      if (rounds.length === 1)
        return {
          content: [
            text('The delay doubles without a limit, and all clients wait equally long. First, what the tests say.'),
            use('Bash', { command: 'npm test', description: 'Run the tests' }),
          ],
        }
      if (rounds.length > 2) return say('Done.')
      return {
        content: [
          text(
            'They pass, so I change one thing: the delay gets a **ceiling** of ten seconds and some **jitter**, so that not everybody comes back at the same moment.',
          ),
          use('Edit', {
            file_path: file,
            old_string: '  delay(attempt) {\n    return 100 * 2 ** attempt\n  }',
            new_string:
              '  /** Jittered: not everybody at once. */\n  delay(attempt) {\n    const most = Math.min(10_000, 100 * 2 ** attempt)\n    return most * (0.5 + Math.random() / 2)\n  }',
          }),
        ],
      }
    },
  },
  {
    name: 'search',
    project: 'docs-search',
    title: 'Search ranking',
    prompt: 'People do not find the API pages. Improve the ranking.',
    until: 'waiting',
    script: (_, { use }) => ({
      content: [
        text('Before I build anything, one decision is yours.'),
        use('AskUserQuestion', {
          questions: [
            {
              question: 'How should API pages rank against guides?',
              header: 'Ranking',
              multiSelect: false,
              options: [
                { label: 'Exact names first', description: 'A query that is a symbol leads to its API page' },
                { label: 'Boost API pages', description: 'Always a little higher, whatever the query' },
                { label: 'Two lists', description: 'Guides and API pages side by side' },
              ],
            },
          ],
        }),
      ],
    }),
  },
  {
    name: 'backups',
    project: 'infra',
    title: 'Nightly backups',
    prompt: 'Check that the nightly backups can be restored.',
    until: 'assistant_turn',
    script: () => ({
      content: [text('I list what is there, restore the newest one into an empty database and compare the rows.')],
      hang: true,
    }),
  },
]
