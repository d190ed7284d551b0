/** Undefined when it is not one. */
export function parseAddress(text: string): { readonly host: string } | { readonly path: string } | undefined {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    return path.startsWith('/') ? { path } : undefined;
  }
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]+)):\d{1,5}$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  return host === undefined ? undefined : { host };
}

/** Nobody but this machine hears what is said there. */
export function isNear(text: string): boolean {
  const address = parseAddress(text);
  if (!address) return false;
  return 'path' in address || address.host === 'localhost' || address.host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address.host);
}
