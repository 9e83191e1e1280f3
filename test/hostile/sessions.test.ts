import { expect } from 'chai';
import { sessionsCollection } from '../../src/operations/access/sessions.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { TestService } from '../support/service.ts';
import { describeSessions } from './sessions.ts';

describeSessions(300);

describe('Session ids chosen by a client', () => {
  it('are not stored for reads, but with the first change in them [A.hostile.mcp-sessions]', async () => {
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const call = (name: string, input: object, session: string): Promise<Response> => {
        const params = { name, arguments: { project_id, ...input } };
        return rawMcp(
          service.url,
          { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
          { 'Mcp-Session-Id': session },
        );
      };
      for (let at = 0; at < 50; at++) expect((await call('list_tasks', {}, `invented-${at}`)).status).to.equal(200);
      const kept = (): Promise<string[]> =>
        service.store.readService((view) => [...view.list(sessionsCollection)].map(({ id }) => id));
      expect(await kept()).to.deep.equal([]);
      const created = (await (await call('create_goal', { name: 'G', objective: 'O' }, 'invented-1')).json()) as {
        result: { isError?: boolean };
      };
      expect(created.result.isError ?? false).to.equal(false);
      expect(await kept()).to.deep.equal(['invented-1']);
    } finally {
      await service.stop();
    }
  });
});
