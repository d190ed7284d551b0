// Amounts that people write: what is wrong with one is said without repeating it, since it may come from a variable.

/** Either the amount or what is wrong, as the end of the sentence "… is not a duration: ". */
export type Reading = { readonly value: number } | { readonly problem: string };

/** A decimal number, and the rest behind it. */
export function leadingNumber(text: string): { readonly number: number; readonly rest: string } | undefined {
  const digits = /^(?:\d+(?:\.\d+)?|\.\d+)/.exec(text)?.[0];
  return digits === undefined ? undefined : { number: Number(digits), rest: text.slice(digits.length) };
}
