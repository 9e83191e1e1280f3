import { scheduleFor } from './casts.ts';
import { simulate } from './simulation.ts';
import type { Found, Hunt } from './planted.ts';

/** A process whose sources have a planted fault (`mutation/preload.ts`): runs new seeds until one fails. */
process.on('message', (hunt: Hunt) => void run(hunt));

async function run({ from, steps, without, cpuMsMax }: Hunt): Promise<void> {
  const began = process.cpuUsage();
  const cpuMs = (): number => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  };
  let operations = 0;
  for (let seed = from; ; seed++) {
    const outcome = await simulate(scheduleFor(seed, steps, without));
    operations += outcome.operations;
    const [failure] = outcome.failures;
    if (failure === undefined && cpuMs() < cpuMsMax) continue;
    process.send!({ seed, failure, operations, cpuMs: cpuMs() } satisfies Found);
    return;
  }
}
