import { createHook } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a program: it gets SIGTERM in the turn of its event loop that END_AT_TURN names, or after SIGUSR2,
 * reports STILL_AFTER_MS later the handles that keep it, and writes the number of its turns to the file TURNS when it
 * ends.
 */
const { END_AT_TURN: endAt, STILL_AFTER_MS: afterMs, TURNS: turns } = process.env;
const turn = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;

function sayWhatIsLeft(): void {
  const left = process.getActiveResourcesInfo().join(', ');
  setTimeout(
    () => process.stderr.write(`still there: ${process.getActiveResourcesInfo().join(', ')}; then: ${left}\n`),
    Number(afterMs),
  ).unref();
}

if (isMainThread) {
  let isAsked = false;
  const ask = (): void => {
    // A second signal would end it immediately.
    if (!isAsked) process.kill(process.pid, 'SIGTERM');
    isAsked = true;
  };
  if (endAt !== undefined) createHook({ before: () => (turn() < Number(endAt) ? undefined : ask()) }).enable();
  process.on('SIGUSR2', ask);
  if (afterMs !== undefined) process.once('SIGTERM', sayWhatIsLeft);
  if (turns !== undefined) process.on('exit', () => writeFileSync(turns, String(turn())));
}
