import { expect } from 'chai';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { fileIdOf } from '../../src/domain/text/file-url.ts';
import { shareResource } from '../../src/domain/sharing/shares.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { Staging } from '../../src/store/files/checkpoint/staging.ts';
import { TestService } from '../support/service.ts';

const base = 'https://plan.example.org';
const meta = { author: 'system', source: 'system' } as const;

describe('The files of a shared resource [D8.files]', () => {
  let service: TestService;
  let project: string;

  before(async () => {
    service = await TestService.start();
    project = await service.project();
  });
  after(() => service.stop());

  /** An uploaded file and its URL. */
  const file = async (filename: string): Promise<{ id: string; url: string }> => {
    const staged = await new Staging(nodeDisk, join(service.root, 'local'), systemClock).put([Buffer.from(filename)]);
    return service.store.update(project, meta, (tx) => {
      const about = { id: tx.newId('file'), created_at: tx.now, filename, mime: 'image/png' };
      const { id } = tx.put('file', { ...about, ...staged });
      return { id, url: `/api/v1/files/${id}` };
    });
  };

  it('are those embedded in it or in linked documents, in Markdown or HTML, and no others', async () => {
    const [own, absolute, inHtml, linked, inCode, far] = await Promise.all(
      ['own', 'absolute', 'html', 'linked', 'code', 'far'].map((name) => file(`${name}.png`)),
    );
    const description =
      `![a](${own!.url}) ![b](${service.url}${absolute!.url}) \`![c](${inCode!.url})\` ![d](https://other.example${far!.url})\n\n` +
      `<img srcset="${inHtml!.url} 1x, /other.png 2x">`;
    const { body: task } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig', description });
    const document = { title: 'Soil', body: `[plan](${linked!.url} "Plan")`, link_to: task.id };
    await service.rest.post(`/projects/${project}/documents`, document);
    const { token } = await service.store.update(project, meta, (tx) =>
      shareResource(tx, 'task', task.id as string, undefined),
    );
    const found: boolean[] = [];
    for (const one of [own, absolute, inHtml, linked, inCode, far, { id: 'fil_none' }])
      found.push((await fetch(`${service.url}/api/v1/share/${token}/files/${one!.id}`)).status === 200);
    expect(found).to.deep.equal([true, true, true, true, false, false, false]);
  });

  it('are recognised by their URL at this service', () => {
    expect(fileIdOf('/api/v1/files/fil_1', base)).to.equal('fil_1');
    expect(fileIdOf('api/v1/files/fil_1?x=1', base)).to.equal('fil_1');
    expect(fileIdOf(`${base}/api/v1/files/fil_1#p`, base)).to.equal('fil_1');
    for (const url of [
      '/api/v1/files/',
      '/api/v1/files/a/b',
      '/api/v1/files/%2e%2e',
      'http://plan.example.org/api/v1/files/f',
      '',
    ])
      expect(fileIdOf(url, base), url).to.equal(undefined);
  });
});
