import { scheduleFor } from './casts.ts';
import { type Found, type Hunt, huntedSteps } from './hunt.ts';
import { simulate } from './simulation.ts';

/** The process of a `Hunter`. */
process.on('message', (hunt: Hunt) => void run(hunt));
process.on('disconnect', () => process.exit());

async function run({ from, without, cpuMsMax, msMax }: Hunt): Promise<void> {
  const began = performance.now();
  const cpuBegan = process.cpuUsage();
  const cpuMs = (): number => {
    const { user, system } = process.cpuUsage(cpuBegan);
    return (user + system) / 1000;
  };
  let operations = 0;
  for (let seed = from; ; seed++) {
    const outcome = await simulate(scheduleFor(seed, huntedSteps, without));
    operations += outcome.operations;
    const [failure] = outcome.failures;
    const isOver = cpuMs() > cpuMsMax || performance.now() - began > msMax;
    if (failure === undefined && !isOver) continue;
    process.send!({ seed, failure, operations, cpuMs: cpuMs() } satisfies Found);
    return;
  }
}
