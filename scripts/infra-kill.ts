// npx node scripts/infra-kill.ts --kills 200 --resources 1000
// Kills an apply at random moments and lets the next one finish, again and again; fails when anything is lost, doubled or
// forgotten. A third of the kills hit the creation, a third a change with replacements, a third the deletion.
import { parseArgs } from 'node:util';
import { createChance, killByChance } from '@errand/testkit';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    resources: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
console.log(`seed ${values.seed}`);
const chance = createChance(Number(values.seed));
const result = await killByChance({
  kills: Number(values.kills),
  resources: Number(values.resources),
  chance: () => chance.fraction(),
  told: (line) => console.log(line),
});
for (const line of result.wrong) console.error(line);
console.log(`${result.kills} kills, ${result.during} during an apply, ${result.wrong.length} wrong`);
process.exitCode = result.wrong.length === 0 ? 0 : 1;
