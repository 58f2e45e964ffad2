/** The write-ups of the protocol that are spoken here; docs/dialects.md tells them apart. */
export const DIALECTS = ['stream-json', 'stream-json-sdk-control', 'print', 'json-rpc'] as const;

export type DialectName = (typeof DIALECTS)[number];

/** `auto` begins as `stream-json` and changes over to what the first lines show, where that begins in the same way. */
export type DialectOption = 'auto' | DialectName;
