/** Beyond gRPC's 4 MiB, because plans and states grow; bounded, because a message is in memory as a whole. */
export const longestMessage = 64 * 1024 * 1024;

/** For the channel of a host and for the server of a plugin alike. */
export const messageLimits = {
  'grpc.max_receive_message_length': longestMessage,
  'grpc.max_send_message_length': longestMessage,
} as const;
