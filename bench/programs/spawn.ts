// Bare `child_process.spawn`. argv: what to measure, the stdio of the children, the command.
import { spawn } from 'node:child_process';
import { answerRounds } from '../worker.ts';

const [measure = '', stdio = '', program = '', ...args] = process.argv.slice(2);

function run(): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: stdio === 'ignore' ? 'ignore' : 'pipe' });
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(text) : reject(new Error(`${program} exited with ${code}`))));
  });
}

await answerRounds(measure, run);
