import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/clock.ts';
import { type Answered, watched } from '../../src/http/watched.ts';

describe('A request that is watched', () => {
  it('is told of with 499 where its caller went away before anything was answered [A.log-line]', async () => {
    const told = Promise.withResolvers<Answered>();
    const asked = Promise.withResolvers<void>();
    const never = watched(() => asked.resolve(), { clock: systemClock, tell: told.resolve });
    const server = createServer(never).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      await asked.promise;
      socket.destroy();
      expect(await told.promise).to.include({ method: 'GET', status: 499, aborted: true });
    } finally {
      server.close();
    }
  });
});
