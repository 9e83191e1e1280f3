import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlannerError } from '../../src/base/errors.ts';
import { Remotes } from '../../src/remote/remote.ts';
import type { RemoteProject } from '../../src/remote/remote.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { UnreadableFileError } from '../../src/store/files/disk/durable-json.ts';
import { scratchDirectory } from '../support/scratch.ts';

const projectId = 'prj_0000000000000001';
const own = 'prj_0000000000000002';

describe('The remote of a project', () => {
  const scratch = scratchDirectory();
  /** The URLs for which a key was looked up. */
  let sought: string[];
  let find: (url: string) => Promise<string | undefined>;

  beforeEach(() => {
    sought = [];
    find = () => Promise.resolve('k');
  });

  const of = (config: unknown): Promise<RemoteProject> => {
    writeFileSync(join(scratch.path, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
    const keys = {
      find: (url: string): Promise<string | undefined> => {
        sought.push(url);
        return find(url);
      },
    };
    return new Remotes({ disk: nodeDisk, root: scratch.path, keys }).of(own);
  };
  const failure = async (config: unknown): Promise<PlannerError> => {
    try {
      await of(config);
    } catch (thrown) {
      if (thrown instanceof PlannerError) return thrown;
      throw thrown;
    }
    return expect.fail('It was not refused.');
  };

  it("is requested with the user's key, by its URL without trailing slashes [D8.sync-origin]", async () => {
    for (const url of ['https://plan.example.org', 'https://plan.example.org/', 'HTTPS://plan.example.org//']) {
      const remote = await of({ remote: { url, project_id: projectId }, project_id: own });
      expect(remote).to.include({ url: 'https://plan.example.org', projectId });
      expect(remote.client.address).to.deep.equal({ url: 'https://plan.example.org', key: 'k' });
    }
    expect((await of({ remote: { url: 'http://[::1]:1/a/b/', project_id: projectId } })).url).to.equal(
      'http://[::1]:1/a/b',
    );
    expect(new Set(sought)).to.deep.equal(new Set(['https://plan.example.org', 'http://[::1]:1/a/b']));
  });

  it('is not requested without a key, and no key is looked up for an invalid URL [D8.sync-origin, A.trust.outgoing]', async () => {
    find = () => Promise.resolve(undefined);
    const refused = await failure({ remote: { url: 'https://plan.example.org', project_id: projectId } });
    expect(refused.code).to.equal('forbidden');
    expect(refused.message).to.include('planner login https://plan.example.org');
    sought = [];
    const urls = [
      'ftp://a',
      'xhttps://a',
      'https+x://a',
      'https://u@a',
      'https://:p@a',
      'https://a?b',
      'https://a#b',
      'a',
      '',
      7,
    ];
    for (const url of urls) {
      const error = await failure({ remote: { url, project_id: projectId } });
      expect([error.code, error.field], String(url)).to.deep.equal(['invalid_argument', 'remote.url']);
    }
    expect(sought).to.deep.equal([]);
  });

  it('is rejected if config.json has none, an invalid one, or one for another project [D8.sync-origin]', async () => {
    for (const config of [{}, { remote: null }, [], 'null', '7'])
      expect(await failure(config), JSON.stringify(config)).to.include({ code: 'invalid_argument', field: 'remote' });
    for (const id of [undefined, 7, '', 'x y', `${projectId}/..`])
      expect(await failure({ remote: { url: 'https://a', project_id: id } }), String(id)).to.include({
        ...{ code: 'invalid_argument', field: 'remote.project_id' },
      });
    for (const remote of [[], 'https://a', 7])
      expect(await failure({ remote }), JSON.stringify(remote)).to.include({ code: 'invalid_argument' });
    const bound = await failure({ remote: { url: 'https://a', project_id: projectId }, project_id: projectId });
    expect([bound.code, bound.field]).to.deep.equal(['invalid_argument', 'project_id']);
  });

  it('is rejected if config.json or the keys are not JSON, without a path of this machine [D8.sync-origin]', async () => {
    const broken = await failure('<<<<<<< ours');
    expect(broken.code).to.equal('conflict');
    expect(broken.message).to.include('.planner/config.json').and.not.include(scratch.path);
    const config = { remote: { url: 'https://a', project_id: projectId } };
    find = () => Promise.reject(new UnreadableFileError('/home/g/credentials.json', 'no JSON'));
    const keys = await failure(config);
    expect(keys.code).to.equal('conflict');
    expect(keys.message).to.include('credentials.json').and.not.include('/home');
    find = () => Promise.reject(new TypeError('It broke.'));
    try {
      await of(config);
      expect.fail('It was taken.');
    } catch (error) {
      expect(error).to.be.instanceOf(TypeError);
    }
  });
});
