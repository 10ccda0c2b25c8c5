import type { NoticeKind, NoticeSettings, QuietHours } from '@holdpoint/schema/notification'

/** Whether these settings let a notice of this kind, about a session in this folder, through. Quiet hours aside. */
export function wantsNotice(settings: NoticeSettings, notice: { kind: NoticeKind; project: string }): boolean {
  return settings.kinds.includes(notice.kind) && (settings.projects?.includes(notice.project) ?? true)
}

/** Whether it is the time of the day, where the device is, at which it wants to be left alone. */
export function isQuiet(hours: QuietHours | undefined, now: number): boolean {
  if (!hours) return false
  const time = timeOfDay(hours.timeZone, now)
  return hours.from < hours.to ? hours.from <= time && time < hours.to : hours.from <= time || time < hours.to
}

/** As `22:05`: such texts sort as the times do. */
function timeOfDay(timeZone: string, now: number): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return format.format(now)
}
