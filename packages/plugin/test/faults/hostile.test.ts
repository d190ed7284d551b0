import { expect, test } from 'vitest';
import { isErrandError } from '@errand/contract';
import type { ErrandError, ErrorCode } from '@errand/contract';
import { launchPlugin } from '../../src/launch/launch.ts';
import { createBed, echoProgram, expectNothingLeft } from '../bed.ts';
import { call } from '../programs/echo-service.ts';

const deadline = 1500;

/** What a plugin does instead of a handshake → the error, and a part of its message. */
const hostile: readonly (readonly [what: string, source: string, code: ErrorCode, message: RegExp])[] = [
  ['dies at once', 'console.error("no licence"); process.exit(7)', 'provider/failed', /exit status 7.*\n {2}no licence/],
  ['is killed', 'process.kill(process.pid, "SIGKILL")', 'provider/failed', /signal SIGKILL/],
  [
    'hangs',
    'console.error("thinking"); setInterval(() => {}, 1000)',
    'provider/timeout',
    /no handshake within 1500 ms[^]*thinking/,
  ],
  [
    'closes its output and stays',
    'import fs from "node:fs"; fs.closeSync(1); setInterval(() => {}, 1000)',
    'provider/failed',
    /closed its output/,
  ],
  [
    'prints garbage',
    'console.log("Hello, world"); setInterval(() => {}, 1000)',
    'provider/failed',
    /no handshake: "Hello, world"/,
  ],
  [
    'prints bytes',
    'process.stdout.write(Buffer.from([0, 255, 27, 10])); setInterval(() => {}, 1000)',
    'provider/failed',
    /no handshake/,
  ],
  [
    'prints half a line',
    'process.stdout.write("1|1|unix|/tmp"); setInterval(() => {}, 1000)',
    'provider/timeout',
    /no handshake/,
  ],
  [
    'prints half a line and ends',
    'process.stdout.write("1|1|unix|/tmp")',
    'provider/failed',
    /exit status 0 before its handshake/,
  ],
  [
    'speaks another version',
    'console.log("1|9|unix|/tmp/x|grpc"); setInterval(() => {}, 1000)',
    'provider/failed',
    /version "9"/,
  ],
  ['speaks net/rpc', 'console.log("1|1|unix|/tmp/x|netrpc"); setInterval(() => {}, 1000)', 'provider/failed', /"netrpc"/],
  [
    'names another machine',
    'console.log("1|1|tcp|10.1.2.3:80|grpc"); setInterval(() => {}, 1000)',
    'provider/failed',
    /not an address of this machine/,
  ],
  [
    'names a socket that is not there',
    'console.log("1|1|unix|/nowhere|grpc"); setInterval(() => {}, 1000)',
    'provider/failed',
    /does not exist/,
  ],
  [
    'names a file',
    `console.log("1|1|unix|" + process.argv[1] + "|grpc"); setInterval(() => {}, 1000)`,
    'provider/failed',
    /is not a socket/,
  ],
  [
    'names a port where nobody is',
    'console.log("1|1|tcp|127.0.0.1:9|grpc"); setInterval(() => {}, 1000)',
    'provider/failed',
    /takes no connection/,
  ],
  [
    'listens and says nothing',
    `import net from "node:net";
     const path = process.env.PLUGIN_UNIX_SOCKET_DIR + "/s";
     net.createServer(() => {}).listen(path, () => console.log("1|1|unix|" + path + "|grpc"))`,
    'provider/failed',
    /takes no connection/,
  ],
  [
    'dies after its handshake',
    `import net from "node:net";
     const path = process.env.PLUGIN_UNIX_SOCKET_DIR + "/s";
     net.createServer(() => process.exit(9)).listen(path, () => console.log("1|1|unix|" + path + "|grpc"))`,
    'provider/failed',
    /exit status 9/,
  ],
  [
    'gives a certificate that is none',
    `import net from "node:net";
     const path = process.env.PLUGIN_UNIX_SOCKET_DIR + "/s";
     net.createServer(() => {}).listen(path, () => console.log("1|1|unix|" + path + "|grpc|AAAA|false"))`,
    'provider/failed',
    /certificate/,
  ],
  [
    'writes 1 GB instead of a line',
    'const chunk = Buffer.alloc(1 << 20, 97); let n = 0; const go = () => { while (n++ < 1024) if (!process.stdout.write(chunk)) return process.stdout.once("drain", go) }; go()',
    'provider/failed',
    /longer than/,
  ],
];

test.each(hostile)('a plugin that %s is an error in time, and nothing of it is left', async (_, source, code, message) => {
  await using bed = await createBed();
  const directory = await bed.script(source);
  const begun = performance.now();
  const error = await launchPlugin(bed.options(directory, { startDeadline: deadline })).then(
    () => undefined,
    (reason: unknown) => reason as ErrandError,
  );
  expect(error).toSatisfy((value) => isErrandError(value, code), `${code}: ${String(error)}`);
  expect(error?.message).toMatch(message);
  expect(error?.next).toBeTruthy();
  expect(performance.now() - begun).toBeLessThan(deadline + 4000);
  await expectNothingLeft(bed);
});

test('1 GB on stdout and 100 MB without a newline on stderr hold nobody up and fill no memory', async () => {
  await using bed = await createBed();
  const directory = await bed.script(
    `process.env.NOISE = "1";
     import { once } from "node:events";
     await import(${JSON.stringify(echoProgram)});
     const chunk = Buffer.alloc(1 << 20, 97);
     for (let n = 0; n < 100; n++) if (!process.stderr.write(chunk)) await once(process.stderr, "drain");
     for (let n = 0; n < 1024; n++) if (!process.stdout.write(chunk)) await once(process.stdout, "drain");
     process.stderr.write("\\nall written\\n");`,
  );
  await using plugin = await launchPlugin(bed.options(directory));
  const before = process.memoryUsage().rss;
  let most = before;
  while (!bed.lines.includes('all written')) {
    expect(String(await call(plugin.client, 'say', 'hello'))).toBe('hello');
    most = Math.max(most, process.memoryUsage().rss);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(most - before).toBeLessThan(150 * 1024 * 1024);
  await plugin.stop();
  await expectNothingLeft(bed);
});

test('a plugin that takes no notice of Shutdown and SIGTERM is killed, with its children', async () => {
  await using bed = await createBed();
  const directory = await bed.script(
    `import http2 from "node:http2";
     import { spawn } from "node:child_process";
     process.on("SIGTERM", () => {});
     spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: "inherit" });
     const path = process.env.PLUGIN_UNIX_SOCKET_DIR + "/s";
     http2.createServer().listen(path, () => console.log("1|1|unix|" + path + "|grpc"));`,
  );
  await using plugin = await launchPlugin(bed.options(directory, { grace: 300 }));
  const begun = performance.now();
  await plugin.stop();
  expect(performance.now() - begun).toBeLessThan(3000);
  expect(await plugin.ended).toEqual({ code: null, signal: 'SIGKILL' });
  expect(bed.lines.join('\n')).toMatch(/did not end within 300 ms/);
  await expectNothingLeft(bed);
});

test('an executable that is none, or has no interpreter, is refused with what to do', async () => {
  await using bed = await createBed();
  const directory = await bed.program(['x']);
  const { writeFile } = await import('node:fs/promises');
  await writeFile(`${directory}/probe`, '#!/no/such/interpreter\n');
  await expect(launchPlugin(bed.options(directory))).rejects.toMatchObject({
    code: 'provider/failed',
    next: expect.stringContaining('interpreter') as string,
  });
  await expectNothingLeft(bed);
});

test('an environment that is too large, and a home that cannot be written, are typed errors too', async () => {
  await using bed = await createBed();
  const directory = await bed.program(['true']);
  const huge = { HUGE: 'x'.repeat(8 * 1024 * 1024) };
  await expect(launchPlugin(bed.options(directory, { env: huge }))).rejects.toMatchObject({ code: 'provider/failed' });
  await expectNothingLeft(bed);
  const file = `${directory}/plugin.json`;
  await expect(launchPlugin(bed.options(directory, { home: `${file}/home` }))).rejects.toMatchObject({ code: 'home/unwritable' });
});
