import { expect } from 'chai';
import { faultyDisk } from '../support/faulty-disk.ts';
import { TestService } from '../support/service.ts';

describe('A store that cannot write to its journal', () => {
  it('rejects writes over both transports and continues to serve reads; writes in flight have an unknown outcome [D2.unavailable, D2.outcome-unknown]', async () => {
    const disk = faultyDisk();
    const service = await TestService.start({ disk, writer: 'inline', watch: false });
    try {
      const id = await service.project();
      const client = await service.mcp();
      await service.store.flush();
      disk.arm({ at: 1, kind: 'error', code: 'EIO' });
      const first = await service.rest.post(`/projects/${id}/tasks`, { label: 'Lost' });
      expect([first.status, first.body.error, first.body.outcome]).to.deep.equal([503, 'unavailable', 'unknown']);
      const second = await service.rest.post(`/projects/${id}/tasks`, { label: 'Refused' });
      expect([second.status, second.body.error, second.body.outcome]).to.deep.equal([503, 'unavailable', undefined]);
      const called = await client.call('create_task', { project_id: id, label: 'Refused' });
      expect(JSON.stringify(called)).to.contain('"unavailable"');
      const list = await service.rest.get(`/projects/${id}/tasks`);
      expect(list.body.tasks).to.deep.equal([]);
      await service.restart({ disk });
      expect((await service.rest.post(`/projects/${id}/tasks`, { label: 'Again' })).status).to.equal(201);
    } finally {
      await service.stop();
    }
  });
});
