import type * as Machines from '../machines/index.ts';

export declare const ERROR_GROUPS: readonly (readonly [code: string, heading: string])[];
export declare function diagramDocuments(machines: typeof Machines): Record<string, string>;
export declare function endingsDocument(endings: typeof Machines.ENDINGS): string;
export declare function withCharts(page: string, charts: Readonly<Record<string, string>>): string;
export declare function errorDocument(codes: Readonly<Record<string, string>>): string;

export function optionsDocument(support: Readonly<Record<string, object>>): string;

export function featuresDocument(
  features: Readonly<Record<string, object>>,
  measured: readonly string[],
  hasFeature: (version: string | undefined, capabilities: readonly string[] | undefined, name: never) => boolean,
): string;
