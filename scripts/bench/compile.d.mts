export declare function compileFakeCli(): Promise<{
  readonly path: string;
  readonly folder: string;
  readonly dispose: () => Promise<void>;
}>;
export declare class NoCompiler extends Error {}
