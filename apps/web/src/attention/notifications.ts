export type NotificationState = 'unsupported' | 'default' | 'granted' | 'denied'

export function notificationState(): NotificationState {
  return 'Notification' in window ? Notification.permission : 'unsupported'
}

/** To be called from a press: browsers ask the person only then. */
export async function askForNotifications(): Promise<NotificationState> {
  return 'Notification' in window ? Notification.requestPermission() : 'unsupported'
}

export interface NotificationOptions {
  readonly title: string
  readonly body: string
  /** Two tabs with one tag show one notification. */
  readonly tag: string
  onClick(): void
}

/** False where the browser does not let a page do this, as phones do. */
export function showNotification({ title, body, tag, onClick }: NotificationOptions): boolean {
  if (notificationState() !== 'granted') return false
  try {
    const notification = new Notification(title, { body, tag, icon: '/icon-192.png' })
    notification.onclick = () => {
      window.focus()
      notification.close()
      onClick()
    }
    return true
  } catch {
    return false
  }
}
