/** Takes all steps of a check at once. */
export function runToEnd<Result>(steps: Generator<void, Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
