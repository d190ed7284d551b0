// Reading JSON that somebody else wrote: what is not of the expected kind reads as empty.

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export const field = (value: unknown, name: string): unknown => record(value)[name];
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

export function texts(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record(value)).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

/** The engine's "never" is a date of the year 1 (or, of some engines, nothing or 1970). */
export function milliseconds(value: unknown): number | undefined {
  const at = Date.parse(text(value));
  return Number.isNaN(at) || at <= 0 ? undefined : at;
}
