import { expect } from 'chai';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceToEnd, endAtEachTurn } from '../support/ended-at-each-turn.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { startService } from '../support/server-process.ts';

/** A plan that is brought as a file: a thread reads it. */
const todo = Array.from({ length: 200 }, (_, n) => `- [ ] Item ${n}`).join('\n');

/**
 * Calls that make a service begin everything on demand: threads that write, watch, render and read plans, streams,
 * staged bytes.
 */
async function useOf(url: string): Promise<void> {
  const rest = new RestClient(url);
  const { id } = (await rest.post('/projects', { name: 'Made' })).body;
  const stream = fetch(`${url}/api/v1/feed?wait=30`).then((response) => response.text());
  stream.catch(() => undefined);
  const file = new FormData();
  file.set('file', new Blob([todo]), 'TODO.md');
  await Promise.all([
    ...Array.from({ length: 20 }, (_, n) => rest.post(`/projects/${id}/tasks`, { label: `Task ${n}` })),
    fetch(`${url}/api/v1/projects/import`, { method: 'POST', body: file }),
    rest
      .post(`/projects/${id}/documents`, { title: 'Text', body: '# Text\n\n- one\n- two\n' })
      .then(({ body }) => rest.post(`/projects/${id}/comments`, { target_id: body.id, body: '# Rendered' })),
    rest.post(`/projects/${id}/files`, { filename: 'a.txt', mime: 'text/plain', content_base64: btoa('text') }),
  ]);
}

/** The shared body of the short round and the long one. */
export function describeEnds(rounds: number): void {
  describe('A service over files that is asked to end', function () {
    this.timeout(0);
    const scratch = scratchDirectory();

    it('is gone within 5 s in whatever turn of its start, its loading and its work that is, and leaves no note of itself [A.ends.turns]', async () => {
      const [root, former] = [join(scratch.path, 'root'), join(scratch.path, 'former')];
      mkdirSync(root, { recursive: true });
      const server = await startService(root);
      await useOf(server.url);
      // Each start has to recover the unwritten changes.
      await server.kill();
      cpSync(root, former, { recursive: true });
      const local = join(root, '.planner/local');
      await endAtEachTurn({
        title: 'services over files',
        rounds,
        drainMs: 0,
        turnsFile: join(scratch.path, 'turns'),
        make: (): ServiceToEnd => {
          rmSync(root, { recursive: true });
          cpSync(former, root, { recursive: true });
          return {
            argv: ['serve', '--root', root, '--port', '0'],
            use: useOf,
            ended: (code) => {
              const left = ['lock.json', 'server.json', 'admin'].filter((name) => existsSync(join(local, name)));
              if (code === 0) expect(left).to.deep.equal([]);
            },
          };
        },
      });
    });
  });
}
