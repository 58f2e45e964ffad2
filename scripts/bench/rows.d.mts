/** A figure of another adapter or case, with which one of Troupe is compared. */
export interface Other {
  readonly adapter?: string;
  readonly case?: string;
  readonly figure?: string;
}

export interface Check {
  readonly case: string;
  readonly figure: string;
  readonly unit: string;
  readonly pick?: 'median' | 'low' | 'least';
  readonly of?: Other;
  readonly above?: Other;
  readonly atMost?: number;
}

export interface Row {
  readonly row: number;
  readonly measure: string;
  readonly target: string;
  readonly cases: Readonly<Record<string, { readonly scenario: string; readonly adapters: readonly string[] }>>;
  readonly checks: readonly Check[];
}

export declare const ROWS: readonly Row[];
