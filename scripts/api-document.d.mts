/** The public entries, by the path one imports. */
export declare const API_ENTRIES: Readonly<Record<string, string>>;
export declare function apiDocument(entries?: Readonly<Record<string, string>>): string;
