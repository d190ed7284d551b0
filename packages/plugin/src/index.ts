export { connectProvider } from './wire/connect.ts';
export type { ConnectedProvider, ConnectOptions } from './wire/connect.ts';
export { answerStream } from './wire/answer.ts';
export type { AnswerOptions, Caller } from './wire/answer.ts';
export { methodDefinition, serviceDefinition } from './wire/definition.ts';
export { serveProvider } from './wire/serve.ts';
export type { ServeOptions } from './wire/serve.ts';
export { SandboxExecService } from './gen/workflow/plugin/external/sandbox/sandbox_exec_pb.js';
export type { SandboxExecChunk, SandboxExecRequest } from './gen/workflow/plugin/external/sandbox/sandbox_exec_pb.js';
