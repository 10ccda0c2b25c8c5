import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ask, fillForm, singleQuestion, steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { expect, it } from 'vitest'
import { LONG } from '../long.ts'
import { seededRandom } from '../seeded-random.ts'
import { until } from '../until.ts'
import { startForms } from './forms.ts'
import { startRealGateway } from './real-gateway.ts'

const CYCLES = LONG ? 100 : 3
/** Every command appends to a file of its own: how often it ran is the number of lines in it. */
const runs = Array.from({ length: CYCLES * 3 }, (_, index) => use('Bash', { command: `echo ran >> run-${index}.txt` }))

const scripts = {
  shell: steps(runs),
  questions: steps(
    Array.from({ length: CYCLES * 3 }, (_, index) => ask({ ...singleQuestion, question: `Question ${index}?` })),
  ),
  forms: steps(Array.from({ length: CYCLES * 3 }, () => fillForm())),
}

it(
  `[F1, F2, F3, I5] ${CYCLES} gateways killed under real agents: same asks, same processes, every tool once`,
  async () => {
    const random = seededRandom(Number(process.env.HOLDPOINT_SEED ?? 7))
    await using real = await startRealGateway({ scripts })
    const shell = await real.session('shell')
    const questions = await real.session('questions')
    const forms = await real.session('forms', { trust: true, prepare: startForms })
    const sessions = [shell, questions, forms]
    await settle(forms, 'approval', { kind: 'allow', remember: { scope: 'session' } })
    const allowed: string[] = []
    let delivered = 0

    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const command = await shell.ask((candidate) => candidate.kind === 'approval')
      const question = await questions.ask((candidate) => candidate.kind === 'question')
      const form = await forms.ask((candidate) => candidate.kind === 'form')
      const open = [command, question, form]
      const agents = await Promise.all(sessions.map(async (session) => (await session.read()).epoch))
      await real.gateway.kill9()
      const point = ['', 'before-delivery:1', 'before-record:1'][cycle % 3] ?? ''
      await real.restart(point ? { FAIL_AT: point } : {})

      // They are there, with the same ids, whether or not the agents have come back yet.
      for (const [index, session] of sessions.entries()) {
        expect((await session.asks()).map((still) => still.id)).toEqual([open[index]?.id])
      }
      const answers = [
        { target: command, body: { kind: 'allow' } },
        { target: question, body: { kind: 'answer', answers: [{ question: 0, selected: ['One column'] }] } },
        { target: form, body: { kind: 'submit', content: { name: `cycle ${cycle}` } } },
      ].sort(() => random() - 0.5)
      const given = new Set<string>()
      for (const [index, { target, body }] of answers.entries()) {
        const reply = await real.api.answer(target, body).catch(() => undefined)
        if (reply?.status === 200) given.add(target.id)
        if (point && index === 0) {
          // It dies by itself, with the outcome on record.
          await real.gateway.exited
          await real.restart()
        }
      }
      for (const { target, body } of answers) {
        if (given.has(target.id)) continue
        const reply = await real.api.answer(target, body)
        // The answer that the dying gateway did not acknowledge may have been recorded all the same.
        expect([200, 409]).toContain(reply.status)
      }
      allowed.push(String(command.tool?.input.command))
      delivered += 3
      for (const session of sessions) await session.ask((candidate) => !open.some((old) => old.id === candidate.id))
      expect(await Promise.all(sessions.map(async (session) => (await session.read()).epoch))).toEqual(agents)
    }

    for (const command of allowed) {
      const file = /run-\d+\.txt/.exec(command)?.[0] ?? ''
      expect(await readFile(join(shell.cwd, file), 'utf8'), command).toBe('ran\n')
    }
    for (let cycle = 0; cycle < CYCLES; cycle++) expect(forms.told()).toContain(`cycle ${cycle}`)
    await until(async () => questions.told().includes(`Question ${CYCLES - 1}?`), 'the last question to be told')
    console.error(`kill -9 with real agents: ${CYCLES} cycles, ${delivered} outcomes delivered`)

    await real.gateway.stop()
    const store = await openSqliteStore({ path: join(real.dataDir, 'holdpoint.db') })
    const chain = await store.verify()
    const settled = await store.asks({ status: 'settled', limit: 100_000 })
    await store.close()
    expect(chain.fault).toBeUndefined()
    expect(
      settled.filter(
        (record) =>
          record.outcome?.kind === 'allowed' && record.ask.kind === 'approval' && record.ask.tool?.name === 'Bash',
      ).length,
    ).toBe(allowed.length)
    await real.restart()

    async function settle(session: typeof shell, kind: string, answer: Record<string, unknown>) {
      await session.answer(await session.ask((candidate) => candidate.kind === kind), answer)
    }
  },
  CYCLES * 60_000,
)
