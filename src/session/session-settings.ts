/** What was changed while the session ran; a new incarnation starts with it (P8). Undefined leaves the option as given. */
export interface RuntimeSettings {
  model: string | undefined;
  permissionMode: string | undefined;
}
