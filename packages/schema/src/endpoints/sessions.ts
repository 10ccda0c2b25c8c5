import { z } from 'zod'
import { ChangedFiles, ChangesSince, FileDiff } from '../changed-files.ts'
import type { EndpointsOf } from '../endpoint.ts'
import { ItemId } from '../id.ts'
import { Item, ItemPage } from '../item.ts'
import { OfferedModel, Offers } from '../offers.ts'
import { paths } from '../paths.ts'
import { PermissionMode } from '../permission-mode.ts'
import { ModelName, SendMessage, Session, SessionState, SessionTitle, StartSession } from '../session.ts'
import { Budget } from '../usage.ts'
import { OnMachine } from './folders.ts'

/** Which page of a thread. */
export const ItemPageQuery = z.strictObject({
  before: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
})

/** Relative paths, those of folders with a slash at the end. They are names: show them with their hidden characters. */
export const FoundFiles = z.object({
  files: z.array(z.string()),
  /** The folder has more than was looked at. Typing a path finds what is in that folder all the same. */
  isPartial: z.boolean(),
})
export type FoundFiles = z.infer<typeof FoundFiles>

/** An entry of a thread that says what was looked for. */
export const FoundItem = z.object({
  id: ItemId,
  at: z.int(),
  /** In one line, with what stands around it. */
  excerpt: z.string(),
})
export type FoundItem = z.infer<typeof FoundItem>

export const sessionEndpoints = {
  start: {
    ...paths.sessions.start,
    summary: 'Start an agent in a folder, or resume a session that has ended',
    body: StartSession,
    idempotent: true,
    replies: { 201: Session },
  },
  list: {
    ...paths.sessions.list,
    summary:
      'Sessions, newest first. The first page has all running sessions and one page of ended ones. Pass nextBefore as before to get the next page. A page of a search may be empty and still not be the last',
    query: z.strictObject({
      /** `alive` is every state but `dead`. */
      state: z.enum([...SessionState.options, 'alive']).optional(),
      project: z.string().max(4096).optional(),
      /** Words that all have to be in the title, the folder or the agent's name. */
      search: z.string().max(256).optional(),
      /** Left out, those that are archived are listed with the others. */
      archived: z.enum(['true', 'false']).optional(),
      /** Those that have ended; all that run are on the first page. */
      limit: z.coerce.number().int().min(1).max(500).default(100),
      before: z.string().max(64).optional(),
    }),
    replies: { 200: z.object({ sessions: z.array(Session), nextBefore: z.string().optional() }) },
  },
  read: {
    ...paths.sessions.read,
    summary: 'One session',
    replies: { 200: Session },
  },
  offers: {
    ...paths.sessions.offers,
    summary: 'The models and the slash commands that the agent of a session offers',
    replies: { 200: Offers },
  },
  models: {
    ...paths.sessions.models,
    summary: 'The models that the last agent of this kind on the machine has named; none before there was one',
    query: z.strictObject({ agent: z.string().max(64), ...OnMachine }),
    replies: { 200: z.object({ models: z.array(OfferedModel) }) },
  },
  files: {
    ...paths.sessions.files,
    summary:
      "Files and folders in the session's folder that a person may mean by what they have typed, the likeliest first",
    query: z.strictObject({ typed: z.string().max(500).default('') }),
    replies: { 200: FoundFiles },
  },
  items: {
    ...paths.sessions.items,
    summary: 'The thread, newest page first. Pass nextBefore as before to get the page before it',
    query: ItemPageQuery,
    replies: { 200: ItemPage },
  },
  item: {
    ...paths.sessions.item,
    summary: 'One complete entry of the thread',
    replies: { 200: Item },
  },
  changes: {
    ...paths.sessions.changes,
    summary:
      'The files that are not as they were when the session began, or when it was sent its last message, whoever has changed them',
    query: z.strictObject({ since: ChangesSince.default('start') }),
    replies: { 200: ChangedFiles },
  },
  change: {
    ...paths.sessions.change,
    summary: 'One of these files, with its diff',
    query: z.strictObject({ since: ChangesSince.default('start'), path: z.string().min(1).max(4096) }),
    replies: { 200: FileDiff },
  },
  find: {
    ...paths.sessions.find,
    summary:
      'Entries of the thread that say a text, newest first, upper and lower case alike. A long thread takes several calls: pass nextBefore as before to look on, even where nothing was found',
    query: z.strictObject({
      text: z.string().min(1).max(200),
      before: z.coerce.number().int().min(0).optional(),
    }),
    replies: { 200: z.object({ found: z.array(FoundItem), nextBefore: z.int().optional() }) },
  },
  export: {
    ...paths.sessions.export,
    summary:
      'The whole thread as a file, oldest entry first, with secrets masked. Attached files are named, not included',
    query: z.strictObject({ format: z.enum(['md', 'json']).default('md') }),
    ticketed: true,
    replies: { 200: 'text/markdown or application/json' },
  },
  sendMessage: {
    ...paths.sessions.sendMessage,
    summary: 'Send a message. It is queued while the agent works or waits for a person',
    body: SendMessage,
    idempotent: true,
    replies: { 202: z.object({ messageId: ItemId, queued: z.int() }) },
  },
  cancelMessage: {
    ...paths.sessions.cancelMessage,
    summary: 'Cancel a message that is still queued',
    replies: { 204: 'cancelled' },
  },
  interrupt: {
    ...paths.sessions.interrupt,
    summary: 'Interrupt the agent. Open asks are withdrawn',
    replies: { 202: 'being interrupted' },
  },
  setMode: {
    ...paths.sessions.setMode,
    summary: 'Change the permission mode',
    body: z.strictObject({ permissionMode: PermissionMode }),
    replies: { 200: Session },
  },
  setModel: {
    ...paths.sessions.setModel,
    summary: 'Change the model',
    body: z.strictObject({ model: ModelName }),
    replies: { 200: Session },
  },
  rename: {
    ...paths.sessions.rename,
    summary: 'Give a session another title. Its agent no longer changes it then',
    body: z.strictObject({ title: SessionTitle }),
    replies: { 200: Session },
  },
  archive: {
    ...paths.sessions.archive,
    summary:
      'Put a session that is idle or has ended out of the lists. It comes back with its next ask, message, turn or alarm',
    replies: { 200: Session },
  },
  unarchive: {
    ...paths.sessions.unarchive,
    summary: 'Put an archived session back into the lists',
    replies: { 200: Session },
  },
  setBudget: {
    ...paths.sessions.setBudget,
    summary:
      'What the session may use before a person is asked. Beyond it every call asks, and messages wait until the budget is raised. An empty object takes it away',
    body: Budget,
    replies: { 200: Session },
  },
  trust: {
    ...paths.sessions.trust,
    summary:
      "Trust the session's folder, as it is now or exactly as it was shown under this digest. Its own settings are loaded from the next start on",
    query: z.strictObject({ digest: z.string().max(64).optional() }),
    replies: { 200: Session },
  },
  distrust: {
    ...paths.sessions.distrust,
    summary: "Stop trusting the session's folder",
    replies: { 200: Session },
  },
  end: {
    ...paths.sessions.end,
    summary: 'End the agent. Open asks are withdrawn',
    replies: { 202: 'being ended' },
  },
  deleteContent: {
    ...paths.sessions.deleteContent,
    summary:
      'Delete for good what was said and asked in a session that has ended. That it was there, and who deleted it, stays on record, with the hashes of its events',
    replies: { 200: Session },
  },
} satisfies EndpointsOf<typeof paths.sessions>
