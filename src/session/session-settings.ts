/** What was changed while the session ran; a new incarnation starts with it (P8). Undefined leaves the option as given. */
export interface RuntimeSettings {
  /** Null resets it to the CLI's own. */
  model: string | null | undefined;
  permissionMode: string | undefined;
}
