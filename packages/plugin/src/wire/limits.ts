import type { ChannelOptions } from '@grpc/grpc-js';

/** The most that one message may have; what gRPC takes by default everywhere. */
export const messageBytes = 4 * 1024 * 1024;

/** How much output or file content goes into one message. A stream has up to 16 of them under way at each end. */
export const batchBytes = 128 * 1024;

/** The most that one log chunk may have in all its messages: it is put together in memory. */
export const chunkBytes = 64 * 1024 * 1024;

/** How many entries of a list go into one message. */
export const batchItems = 256;

/** The most of a line of talk or of an error's text; trailing metadata has no room for more. */
export const textLength = 2_000;

export function shorten(text: string): string {
  return text.length <= textLength ? text : `${text.slice(0, textLength - 1)}…`;
}

/** For both ends of a connection: servers that offer `serveProvider` are made with them, and may add to them. */
export const sharedOptions: ChannelOptions = {
  'grpc.max_receive_message_length': messageBytes,
  // A few messages may be under way before the first is acknowledged.
  'grpc-node.flow_control_window': 8 * batchBytes,
  // Statistics that nobody asks for.
  'grpc.enable_channelz': 0,
};
