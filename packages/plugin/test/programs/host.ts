// A host that launches a plugin and stays: `host.ts DIRECTORY HOME`. Prints the plugin's pid, then waits to be killed.
import { launchPlugin } from '../../src/launch/launch.ts';

const [directory = '', home = ''] = process.argv.slice(2);
const plugin = await launchPlugin({ directory, home, lockFile: undefined, log: () => undefined });
process.stdout.write(`${plugin.pid}\n`);
if (process.env['LEAVE'] === 'exit') process.exit(0);
setInterval(() => undefined, 1000);
