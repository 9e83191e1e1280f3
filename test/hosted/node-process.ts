import { type Clock, systemClock } from '../../src/base/clock.ts';
import { startHostedService } from '../../src/main/hosted-service.ts';
import { openPgStorage } from '../../src/store/hosted/postgres/pg-storage.ts';

/*
 * A node over PostgreSQL, on a machine whose clock is ahead:
 * `node node-process.ts <port> <database URL> <schema> <milliseconds>`.
 */
const [port = '0', url = '', schema = '', skewMs = '0'] = process.argv.slice(2);

const clock: Clock = { ...systemClock, now: () => systemClock.now() + Number(skewMs) };

await startHostedService({
  storage: await openPgStorage({ url, schema, durability: 'replicated' }),
  ...{ clock, host: '127.0.0.1', port: Number(port), owner: 'Ada', defaultProject: undefined },
  log: (entry) => {
    if (entry.level === 'error') console.error(JSON.stringify(entry));
  },
});
