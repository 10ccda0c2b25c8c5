/** Where an ended session stands among those that have: by its last activity, then by its id. */
export interface SessionPlace {
  readonly activityAt: number
  readonly id: string
}

/** As text: the cursor of a page. */
export function placeOf({ activityAt, id }: SessionPlace): string {
  return `${activityAt}.${id}`
}

/** Before all of them where there is none, or one that cannot be read. */
export function readPlace(text = ''): SessionPlace {
  const [, activityAt, id = ''] = /^(\d{1,15})\.(.+)$/.exec(text) ?? []
  return activityAt === undefined
    ? { activityAt: Number.MAX_SAFE_INTEGER, id: '' }
    : { activityAt: Number(activityAt), id }
}
