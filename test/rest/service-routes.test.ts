import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import { serviceRoutes } from '../../src/rest/service-routes.ts';
import type { ServiceRequest } from '../../src/rest/service-route.ts';

describe("The service's own routes", () => {
  const done: string[] = [];
  let writable = true;
  let described = 0;
  const routes = serviceRoutes({
    store: {
      instance: 'opened',
      flush: () => {
        done.push('flush');
        return Promise.resolve();
      },
      readiness: () =>
        Promise.resolve({ ...(writable ? {} : { failure: 'The disk is full.' }), state: { projects: 2 } }),
    },
    version: '1.2.3',
    doctor: (fix) => Promise.resolve(fix ? 'repaired' : 'checked'),
    describe: () => ({ described: ++described }),
  });
  const answer = async (method: string, path: string): Promise<unknown> => {
    const [route, ...more] = routes.filter((one) => one.method === method && one.path === path);
    expect(more).to.deep.equal([]);
    return route!.answer({} as ServiceRequest);
  };

  it('are for the owner, except health and the description; health requires no credential', () => {
    const shown = routes.map(({ method, path, open, ownerOnly }) => [method, path, open ?? false, ownerOnly ?? false]);
    expect(shown).to.have.deep.members([
      ['GET', '/health', true, false],
      ['GET', '/ready', false, true],
      ['GET', '/openapi.json', false, false],
      ['GET', '/service', false, true],
      ['GET', '/doctor', false, true],
      ['POST', '/doctor', false, true],
      ['POST', '/flush', false, true],
      ['POST', '/service/hand-over', false, true],
    ]);
  });

  it('respond with the state of the service', async () => {
    expect(await answer('GET', '/health')).to.deep.equal({ ok: true });
    expect(await answer('GET', '/service')).to.deep.equal({
      ...{ version: '1.2.3', pid: process.pid, instance: 'opened' },
      embedded: false,
    });
    expect([await answer('GET', '/doctor'), await answer('POST', '/doctor')]).to.deep.equal(['checked', 'repaired']);
    expect(await answer('POST', '/flush')).to.deep.equal({ flushed: true });
    expect(done).to.deep.equal(['flush']);
    const refused: unknown = await answer('POST', '/service/hand-over').catch((thrown: unknown) => thrown);
    expect((refused as PlannerError).code).to.equal('conflict');
    // Made once.
    for (let n = 0; n < 2; n++) expect(await answer('GET', '/openapi.json')).to.deep.equal({ described: 1 });
  });

  it('report whether the store accepts writes', async () => {
    expect(await answer('GET', '/ready')).to.deep.equal({ ready: true, projects: 2 });
    writable = false;
    const refused: unknown = await answer('GET', '/ready').catch((thrown: unknown) => thrown);
    expect(refused).to.be.instanceOf(PlannerError);
    expect((refused as PlannerError).toJSON()).to.deep.equal({
      ...{ error: 'unavailable', message: 'The disk is full.' },
      ...{ ready: false, projects: 2 },
    });
  });
});
