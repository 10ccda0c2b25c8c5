import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runningProcess } from '../../processes/processes.ts'

const MAX_ANCESTORS = 64
const PS_MS = 2000

/** The processes above this one, the nearest first. None where it cannot be told. */
export async function ancestorsOf(pid: number): Promise<number[]> {
  const parentOf = process.platform === 'linux' ? parentInProc : await parentsByPs()
  const above: number[] = []
  for (let parent = await parentOf(pid); parent > 1 && above.length < MAX_ANCESTORS; parent = await parentOf(parent)) {
    above.push(parent)
  }
  return above
}

async function parentInProc(pid: number): Promise<number> {
  return (await runningProcess(pid))?.parent ?? 0
}

async function parentsByPs(): Promise<(pid: number) => number> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid='], { timeout: PS_MS }).catch(() => ({
    stdout: '',
  }))
  const parents = new Map(stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number) as [number, number]))
  return (pid) => parents.get(pid) ?? 0
}
