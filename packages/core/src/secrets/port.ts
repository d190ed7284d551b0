/** Resolves `secret://<store>/<path>`; throws `secret/invalid`, `secret/missing` or `secret/refused`, never showing a value. */
export interface Secrets {
  resolve(reference: string): Promise<string>;
  /** Another text when the value is another one, and the same for the same; it tells nothing about the value. */
  version(reference: string): Promise<string>;
  /** Refuses what is not a reference or names no store, without reading a value. */
  parse(reference: string): { readonly store: string; readonly path: string };
}
