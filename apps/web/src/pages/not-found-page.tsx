import { Link } from 'wouter'
import { Page } from '../parts/page.tsx'

export function NotFoundPage() {
  return (
    <Page title="Nothing here">
      <p className="text-quiet">
        There is no page at this address.{' '}
        <Link href="/" className="text-accent underline underline-offset-2">
          Go to the inbox
        </Link>
      </p>
    </Page>
  )
}
