import { Button } from '@holdpoint/react/ui/button'
import { Component, type ReactNode } from 'react'
import { Notice } from '../parts/notice.tsx'

/** A page that fails leaves the others usable. A new version of the app removes the old one's files: a reload helps. */
export class PageFault extends Component<{ children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <div className="mx-auto w-full max-w-3xl px-4 pt-8 desk:px-8">
        <Notice
          tone="deny"
          role="alert"
          action={<Button onClick={() => window.location.reload()}>Reload the page</Button>}
        >
          This page could not be shown. Nothing was answered or sent because of it.
        </Notice>
      </div>
    )
  }
}
