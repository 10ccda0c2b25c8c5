import { Button } from '@holdpoint/react/ui/button'
import { type FormEvent, useState } from 'react'
import { Field, INPUT } from '../parts/field.tsx'
import { codeOf, openLoginCode } from './login-code.ts'

/**
 * For an app on the home screen: it has no address bar, and on an iPhone a login of its own. Not in browsers, where a link
 * is opened at an address that nobody could know before (T64).
 */
export function LoginLinkField() {
  const [text, setText] = useState('')
  const code = codeOf(text)
  function logIn(event: FormEvent) {
    event.preventDefault()
    if (code !== undefined) openLoginCode(code)
  }
  return (
    <form onSubmit={logIn} className="mt-5">
      <Field
        label="Paste the login link here"
        hint="If you tap the link instead, it opens in the browser, and is used up."
      >
        {(control) => (
          <span className="flex items-center gap-2">
            <input
              {...control}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
              className={INPUT}
            />
            <Button type="submit" variant="primary" off={code === undefined} why="Paste a login link first.">
              Log in
            </Button>
          </span>
        )}
      </Field>
    </form>
  )
}
