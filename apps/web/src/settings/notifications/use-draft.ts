import { useState } from 'react'

/** What is being edited. It starts over when what is saved has become another one, and keeps the focus where it is. */
export function useDraft<Value>(saved: Value): [Value, (value: Value) => void] {
  const text = JSON.stringify(saved)
  const [base, setBase] = useState(text)
  const [draft, setDraft] = useState(saved)
  if (text !== base) {
    setBase(text)
    setDraft(saved)
  }
  return [text === base ? draft : saved, setDraft]
}
