export const protocolVersion = 1;
