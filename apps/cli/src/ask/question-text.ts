/** As many characters as the title of an ask has. */
const LONGEST_TITLE = 200

export function titleOf(question: string): string {
  return question.slice(0, LONGEST_TITLE)
}

/** All of it in one text, which the digest covers. */
export function wholeQuestion(question: string, detail: string | undefined): string {
  return detail === undefined ? question : `${question}\n\n${detail}`
}
