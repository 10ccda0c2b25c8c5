import { VisibleText } from '@holdpoint/react/text/visible-text'
import { useNowAs } from '@holdpoint/react/time/now'
import type { DeliveryState } from '@holdpoint/schema/notification'
import { deliveryWords } from './delivery-words.ts'

export function DeliveryLine({ state }: { state: DeliveryState }) {
  const words = useNowAs((now) => deliveryWords(state, now))
  return <VisibleText text={words} className="wrap-anywhere" />
}
