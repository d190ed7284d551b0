// Logins of registries, where `docker login` leaves them. They are read when an image is pulled and kept nowhere.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';
import { field, record, text } from './answers.ts';

const hub = 'https://index.docker.io/v1/';

/** The first part of a name is a registry when it looks like a host. */
export function registryOf(image: string): string {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : hub;
}

/** The value of the header that the engine passes on, or undefined when nobody has logged in. */
export async function credentialsFor(image: string, env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const file = join(env['DOCKER_CONFIG'] ?? join(homedir(), '.docker'), 'config.json');
  let config: unknown;
  try {
    config = JSON.parse(await readFile(file, 'utf8'));
  } catch {
    // No file, no login; an unreadable one is as good as none, and the registry's answer will say what is missing.
    return undefined;
  }
  const registry = registryOf(image);
  const program = text(field(field(config, 'credHelpers'), registry)) || text(field(config, 'credsStore'));
  const login = program === '' ? undefined : await fromProgram(`docker-credential-${program}`, registry);
  const found = login ?? fromFile(record(field(config, 'auths')), registry);
  if (!found) return undefined;
  const text64 = Buffer.from(JSON.stringify({ ...found, serveraddress: registry })).toString('base64');
  // With its padding: an engine drops a login without it, and does not say so.
  return text64.replaceAll('+', '-').replaceAll('/', '_');
}

interface Login {
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
}

function fromFile(auths: Readonly<Record<string, unknown>>, registry: string): Login | undefined {
  const entry = auths[registry] ?? auths[`https://${registry}`];
  const token = text(field(entry, 'identitytoken'));
  if (token !== '') return { identitytoken: token };
  const [, username, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(text(field(entry, 'auth')), 'base64').toString()) ?? [];
  return username && password !== undefined ? { username, password } : undefined;
}

/** The registry goes in on stdin and the login comes out on stdout; nothing secret is ever an argument. */
async function fromProgram(program: string, registry: string): Promise<Login | undefined> {
  const child = spawn(program, ['get'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(registry);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  try {
    // It says "not found" by its exit status; then the registry is asked without a login.
    if ((await ended) !== 0) return undefined;
  } catch (error) {
    throw new ErrandError('provider/auth', `tried to get a login for ${registry} from ${program}: ${(error as Error).message}`, {
      next: 'Install that program, or take it out of ~/.docker/config.json.',
      cause: error,
    });
  }
  const answer: unknown = JSON.parse(said);
  const username = text(field(answer, 'Username'));
  const secret = text(field(answer, 'Secret'));
  return username === '<token>' ? { identitytoken: secret } : { username, password: secret };
}
