/** What a folder says for itself is too much to be looked at, or cannot be read. */
export class FolderSettingsError extends Error {
  override readonly name = 'FolderSettingsError'
}
