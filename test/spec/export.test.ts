import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileBytes, fullProject } from '../support/full-project.ts';
import type { FullProject } from '../support/full-project.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { rarely } from '../support/rarely.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';

// Exports contain records of every kind.
// oxlint-disable-next-line typescript/no-explicit-any
type Export = any;

/** The text with every id replaced by its kind and order of appearance. */
function withoutIds(document: Export): string {
  const text = JSON.stringify(document);
  const names = new Map<string, string>();
  const own = new Set(['own-node', ...[...text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id!)]);
  for (const [id] of text.matchAll(/[a-z]{3}_[0-9a-hjkmnp-tv-z]{16}/g)) own.add(id);
  const ids = [...own]
    .map((id) => [text.indexOf(id), id] as const)
    .filter(([at]) => at >= 0)
    .sort(([a], [b]) => a - b);
  for (const [at, [, id]] of ids.entries()) names.set(id, `<${at}>`);
  return text.replace(/[A-Za-z0-9_-]+/g, (word) => names.get(word) ?? word);
}

describe('Export and import', () => {
  let service: TestService;
  let full: FullProject;
  const scratch = scratchDirectory();
  before(async () => {
    service = await TestService.start();
    full = await fullProject(service);
  });
  after(() => service.stop());

  const exported = async (id: string): Promise<Export> => {
    const { status, body } = await service.rest.get(`/projects/${id}/export`);
    expect(status).to.equal(200);
    return body;
  };
  const imported = async (document: Export): Promise<Export> => {
    const { status, body } = await service.rest.post('/projects/import', document);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };
  const refusal = async (document: Export): Promise<Export> => {
    const before = (await service.rest.get('/projects')).body;
    const { status, body } = await service.rest.post('/projects/import', document);
    expect(status, JSON.stringify(document)).to.equal(400);
    expect((await service.rest.get('/projects')).body).to.deep.equal(before);
    return body;
  };

  it('restore a whole project under new ids, with the same structure and content [S.conformance.5, D9.import]', async () => {
    const document = await exported(full.id);
    const project = await imported(document);
    const again = await exported(project.id);
    const names = new Map([...namesOf(document), ...namesOf(again)]);
    expect(withoutIds(inOrder(again, names))).to.equal(withoutIds(inOrder(document, names)));
    const shared = JSON.stringify(again)
      .match(/[a-z]{3}_[0-9a-hjkmnp-tv-z]{16}/g)!
      .filter((id) => JSON.stringify(document).includes(id));
    expect(shared).to.deep.equal([]);
    for (const path of ['tasks', 'edges', 'documents', 'goals', 'tags', 'canvas', 'revisions']) {
      const [first, second] = await Promise.all(
        [full.id, project.id].map(async (id) => {
          const { events_cursor: _, ...list } = (await service.rest.get(`/projects/${id}/${path}`)).body;
          return list;
        }),
      );
      expect(withoutTimes(second, names), path).to.equal(withoutTimes(first, names));
    }
    expect(project.summary).to.deep.equal((await service.rest.get(`/projects/${full.id}`)).body.summary);
  });

  it('is one document that is the same each time, also after a restart [D9.export]', async () => {
    const text = async (): Promise<string> => (await fetch(`${service.url}/api/v1/projects/${full.id}/export`)).text();
    const first = await text();
    expect(await text()).to.equal(first);
    await service.restart();
    expect(await text()).to.equal(first);
    // Each record is on its own line.
    expect(first.split('\n').length).to.be.greaterThan(30);
    expect(JSON.parse(first)).to.include({ format: 'planner-export-v1' });
  });

  it('is the same after its files were read without the index cache [D9.export]', async () => {
    const document = {
      ...{ format: 'planner-export-v1', project: { name: 'Tags' } },
      tags: [{ name: 'web', aliases: ['site', 'c#', 'Page'] }],
      goals: [{ name: 'Now', objective: 'x', aliases: ['then', '# first', 'Before'] }],
      tasks: [{ label: 'Dig', tags: ['web', '#1', 'c++', 'API', '- dash'], position: { y: 1, x: 2 } }],
      canvas: { layout: { z: 1, a: { y: 1, b: [2, { d: 1, c: 2 }] } } },
    };
    const { path: directory } = scratch;
    const first = await TestService.start({ directory });
    const { body } = await first.rest.post('/projects/import', document);
    const text = async ({ url }: TestService): Promise<string> =>
      (await fetch(`${url}/api/v1/projects/${body.id}/export`)).text();
    const before = await text(first);
    await first.stop();
    rmSync(join(directory, '.planner/local/index-cache'), { recursive: true });
    const second = await TestService.start({ directory });
    try {
      expect(await text(second)).to.equal(before);
      expect(JSON.parse(before).tasks[0].tags).to.deep.equal(['#1', '- dash', 'API', 'c++', 'web']);
    } finally {
      await second.stop();
    }
  });

  it('has a tag that changes with anything in it, and the name of a file [D9.export, D1.etag]', async () => {
    const path = `/projects/${full.id}/export`;
    const first = await service.rest.get(path);
    expect(first.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(first.headers.get('content-disposition')).to.equal('attachment; filename="garden-beds.planner.json"');
    const seen = { 'If-None-Match': first.headers.get('etag')! };
    expect((await service.rest.get(path, seen)).status).to.equal(304);
    await service.rest.patch(`/tasks/${full.tasks[1]}`, { assignee: 'agent-8' });
    expect((await service.rest.get(path, seen)).status).to.equal(200);
    expect((await service.rest.get('/projects/prj_none/export')).body).to.include({ error: 'not_found' });
    expect((await service.rest.get(`${path}?format=xml`)).body).to.include({
      error: 'invalid_argument',
      field: 'format',
    });
  });

  it('is imported with its history, which can still be restored [D9.import]', async () => {
    const project = await imported(await exported(full.id));
    const { revisions } = (await service.rest.get(`/projects/${project.id}/revisions`)).body;
    const deletion = revisions.find(({ changed_fields: [field] }: Export) => field === 'deleted');
    const restored = await service.rest.post(`/revisions/${deletion.id}/restore`, {});
    expect(restored.status, JSON.stringify(restored.body)).to.equal(200);
    const { tasks } = (await service.rest.get(`/projects/${project.id}/tasks`)).body;
    const [leaves, sow] = ['Burn leaves', 'Sow seeds'].map((name) => tasks.find(({ label }: Export) => label === name));
    expect(leaves).to.include({ goal_id: tasks.find(({ label }: Export) => label === 'Dig').goal_id });
    expect(sow.waiting_on).to.include(leaves.id);
    const change = revisions.find(({ changed_fields: fields }: Export) => fields.includes('label'));
    expect((await service.rest.get(`/revisions/${change.id}`)).body.snapshot).to.include({ label: 'Sow' });
    const newest = revisions.find(({ target_id: target }: Export) => target === sow.id);
    expect(sow.updated_at).to.equal(newest.created_at);
  });

  it('is imported with texts, views and layouts that reference the new records [D9.import]', async () => {
    const project = await imported(await exported(full.id));
    const again = await exported(project.id);
    const [dig, sow] = ['Dig', 'Sow seeds'].map((name) => again.tasks.find(({ label }: Export) => label === name));
    expect(sow.description).to.equal(`After ${dig.id}.`);
    expect(again.notes[0].body).to.equal(`Late in May, see /api/v1/tasks/${dig.id}.\n`);
    const [artifact] = again.artifacts;
    expect(artifact.content).to.equal(`<p>[next](planner://artifact/${artifact.id}) in ${project.id}</p>`);
    expect(again.views[0].config).to.deep.equal({ filter: { ids: [dig.id] }, sort: null });
    expect(again.canvas.layout).to.deep.equal({ zoom: 1.5, pinned: [dig.id], [sow.id]: { open: true } });
    expect(again.submissions[0]).to.include({ task_ref: dig.id, linked_task_id: dig.id });
    expect(again.comments.map(({ target_id: id }: Export) => id)).to.have.members([
      dig.id,
      ...[again.notes[0].id, again.documents[0].id, again.submissions[0].id, 'docs/plan.pdf'],
    ]);
  });

  /** Sends a form with one file. */
  const uploaded = async (file: string, more: Readonly<Record<string, string>> = {}): Promise<Export> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(more)) form.append(name, value);
    form.append('file', new Blob([file]), 'garden.json');
    const response = await fetch(`${service.url}/api/v1/projects/import`, { method: 'POST', body: form });
    return { status: response.status, body: await response.json() };
  };

  rarely('is imported as a file, which may be larger than a request [D9.import, D9.export]', async () => {
    const document = await exported(full.id);
    const { status, body } = await uploaded(JSON.stringify(document));
    expect(status, JSON.stringify(body)).to.equal(201);
    const again = await exported(body.id);
    const names = new Map([...namesOf(document), ...namesOf(again)]);
    expect(withoutIds(inOrder(again, names))).to.equal(withoutIds(inOrder(document, names)));
    const long = 'Measure the bed. '.repeat(60_000);
    const large = {
      ...{ format: 'planner-export-v1', project: { name: 'Large' } },
      documents: Array.from({ length: 20 }, (_, at) => ({ title: `Part ${at}`, body: long })),
    };
    const text = JSON.stringify(large);
    expect(text.length).to.be.greaterThan(17 * 1024 * 1024);
    expect((await service.rest.post('/projects/import', text)).body).to.include({ error: 'payload_too_large' });
    const made = await uploaded(text);
    expect(made.body.summary).to.include({ documents: 20 });
    const back = (await service.rest.get(`/projects/${made.body.id}/export`)).body;
    expect(back.documents.every(({ body: one }: Export) => one === long)).to.equal(true);
  });

  it('that has conflicts of git creates nothing, and is answered with their lines [D9.import, D9.moving.conflicts]', async () => {
    const before = (await service.rest.get('/projects')).body;
    const whole = JSON.stringify(
      (await service.rest.get(`/projects/${await service.project('Kept')}/export`)).body,
      null,
      1,
    );
    const lines = whole.split('\n');
    lines.splice(9, 1, '<<<<<<< HEAD', lines[9]!, '=======', lines[9]!, '>>>>>>> other');
    lines.splice(2, 0, '<<<<<<< HEAD', lines[2]!, '=======', '>>>>>>> other');
    const { status, body } = await uploaded(lines.join('\n'));
    expect([status, body.message]).to.deep.equal([
      400,
      'Conflict markers of git in lines 3-6, 14-18: resolve the conflicts first: merge the two versions and remove the markers.',
    ]);
    expect((await service.rest.get('/projects')).body.projects).to.have.length(before.projects.length + 1);
  });

  it('that is incomplete creates nothing [D9.import]', async () => {
    const before = (await service.rest.get('/projects')).body;
    const whole = JSON.stringify({ format: 'planner-export-v1', project: { name: 'x' } });
    for (const [text, field] of [
      [whole.slice(0, -1), 'file'],
      [`${whole}}`, 'file'],
      ['[]', 'file'],
      ['', 'file'],
      ['{"format":"planner-export-v9","later":1}', 'format'],
      ['{"format":"planner-export-v1"}', 'project'],
      ['{"format":"planner-export-v1","project":{"name":"x"},"extra":[]}', 'extra'],
      ['{"format":"planner-export-v1","project":{"name":"x"},"tasks":{"label":"x"}}', 'tasks'],
      ['{"format":"planner-export-v1","project":{"name":"x"},"tasks":[{"id":"a"}]}', 'tasks[0].label'],
    ] as const) {
      const { status, body } = await uploaded(text);
      expect([status, body.error, body.field], text).to.deep.equal([400, 'invalid_argument', field]);
    }
    const form = new FormData();
    form.append('file', new Blob([whole]), 'a.json');
    form.append('file', new Blob([whole]), 'b.json');
    const empty = new FormData();
    empty.append('x', 'y');
    for (const body of [form, empty]) {
      const response = await fetch(`${service.url}/api/v1/projects/import`, { method: 'POST', body });
      expect(response.status).to.equal(400);
    }
    expect((await uploaded(whole, { title: 'x' })).body).to.include({ error: 'invalid_argument', field: 'title' });
    const cut = await fetch(`${service.url}/api/v1/projects/import`, {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      body: `--b\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n${whole}`,
    });
    expect((await cut.json()) as Export).to.include({ error: 'invalid_argument', field: 'file' });
    expect((await service.rest.get('/projects')).body).to.deep.equal(before);
  });

  it('contains files with their bytes, and restores them [D9.export, D9.import]', async () => {
    const document = await exported(full.id);
    const [file] = document.files;
    expect(file).to.include({ filename: 'bed ü.png', size: fileBytes.length });
    expect(Buffer.from(file.content_base64, 'base64').equals(fileBytes)).to.equal(true);
    const project = await imported(document);
    const again = await exported(project.id);
    expect(again.files[0].id).not.to.equal(file.id);
    expect(again.files[0].content_base64).to.equal(file.content_base64);
    expect(again.documents[0].body).to.equal(`See the picture: ![bed](/api/v1/files/${again.files[0].id}).\n`);
    await service.store.flush();
    expect(service.store.check()).to.deep.equal([]);
    const wrong = (more: object): Export => ({ ...document, files: [{ ...file, ...more }] });
    for (const [more, field] of [
      [{ content_base64: undefined }, 'content_base64'],
      [{ content_base64: 'a b=' }, 'content_base64'],
      [{ sha256: '0'.repeat(64) }, 'sha256'],
      [{ size: 7 }, 'size'],
      [{ mime: 'no type' }, 'mime'],
    ] as const) {
      expect(await refusal(wrong(more))).to.include({ field: `files[0].${field}` });
      const { status, body } = await uploaded(JSON.stringify(wrong(more)));
      expect([status, body.field]).to.deep.equal([400, `files[0].${field}`]);
    }
    const large = await uploaded(
      JSON.stringify(wrong({ content_base64: 'AAAA'.repeat(3_400_000), size: undefined, sha256: undefined })),
    );
    expect([large.status, large.body.error, large.body.field]).to.deep.equal([
      413,
      'payload_too_large',
      'files[0].content_base64',
    ]);
  });

  it('may omit defaults; the result passes every check [D9.import]', async () => {
    const project = await imported({
      ...{ format: 'planner-export-v1', project: { name: 'Short' } },
      tasks: [
        { id: 'a', label: 'Dig', created_at: '2030-01-02T03:04:05Z' },
        { label: 'Sow', links: [{ to: 'a', label: 'depends_on' }] },
      ],
      documents: [{ title: 'Know', folder_id: 'f' }],
      folders: [
        { id: 'f', name: 'In', parent_folder_id: 'g' },
        { id: 'g', name: 'Out' },
      ],
    });
    const { tasks } = (await service.rest.get(`/projects/${project.id}/tasks`)).body;
    expect(
      tasks.map(({ label, status, created_at, goal_id }: Export) => ({ label, status, created_at, goal_id })),
    ).to.deep.equal([
      { label: 'Sow', status: 'todo', created_at: project.created_at, goal_id: project.default_goal_id },
      { label: 'Dig', status: 'todo', created_at: '2030-01-02T03:04:05.000Z', goal_id: project.default_goal_id },
    ]);
    expect(tasks[0].waiting_on).to.deep.equal([tasks[1].id]);
    const { folders } = (await service.rest.get(`/projects/${project.id}/documents`)).body;
    expect(folders[0].folders[0].documents[0].title).to.equal('Know');
    await service.store.flush();
    expect(service.store.check()).to.deep.equal([]);
    await service.restart();
    expect(service.store.check()).to.deep.equal([]);
  });

  it('is imported, whatever its files say that calls cannot [D9.total]', async () => {
    const one = await TestService.start();
    try {
      const id = await one.project();
      const { rest } = one;
      const task = (await rest.post(`/projects/${id}/tasks`, { label: 'Dig', tags: ['soil'] })).body.id as string;
      await rest.post(`/tasks/${task}/comments`, { body: 'x' });
      const files = await PlanFiles.of(one);
      const comment = files.paths().find((path) => path.startsWith('comments/'))!;
      files.write(comment, files.read(comment).replace('<p>x</p>', '<!-- only a remark -->'));
      files.write('tags/other.json', '{"name": "Soil", "aliases": ["earth"]}');
      files.write('notes/late.md', '---\ntitle: "a\\ud800b"\ncreated_at: 2016-12-31T23:59:60Z\n---\n');
      const project = JSON.parse(files.read('project.json')) as object;
      files.write('project.json', JSON.stringify({ ...project, default_goal_id: 'gol_none' }));
      await one.store.rescan();
      const served = (await rest.get(`/projects/${id}/comments`)).body.comments[0].body;
      expect(served).to.equal('<pre>&lt;!-- only a remark --&gt;</pre>');
      const document = (await rest.get(`/projects/${id}/export`)).body;
      const { status, body: made } = await rest.post('/projects/import', document);
      expect(status, JSON.stringify(made)).to.equal(201);
      const again = (await rest.get(`/projects/${made.id}/export`)).body;
      expect(again.comments[0].body).to.equal(served);
      expect(again.tags).to.have.length(1);
      expect(again.notes[0]).to.include({ title: 'a\ufffdb', created_at: '2016-12-31T23:59:59.000Z' });
    } finally {
      await one.stop();
    }
  });

  it('is imported with sanitised comments [D9.import]', async () => {
    const comment = { target_type: 'task', target_id: 'a', author: 'human:Eve' };
    const project = await imported({
      ...{ format: 'planner-export-v1', project: { name: 'Foreign' }, tasks: [{ id: 'a', label: 'Dig' }] },
      comments: [{ ...comment, body: '<p onclick="x()">Hello<script>x()</script></p>' }],
    });
    const again = await exported(project.id);
    expect(again.comments[0]).to.include({ body: '<p>Hello</p>', target_id: again.tasks[0].id, author: 'human:Eve' });
  });

  it('is imported with records that were deleted along with others [D9.import]', async () => {
    const at = '2030-01-01T00:00:00.000Z';
    const document = await exported(full.id);
    const deletion = document.revisions.find(({ fields: [field] }: Export) => field === 'deleted');
    const comment = {
      id: 'cmt-1',
      target_type: 'task',
      target_id: deletion.target,
      author: 'human:Eve',
      created_at: at,
    };
    const more = {
      updated_at: at,
      resolved: false,
      passage: null,
      anchor: null,
      body: '<p>Hot<script>x()</script></p>',
    };
    const $belongings = [{ collection: 'comment', record: { ...comment, ...more } }];
    const revisions = [{ ...deletion, before: { ...deletion.before, $belongings } }];
    const again = await exported((await imported({ ...document, revisions })).id);
    const { before, target } = again.revisions[0];
    expect(before.$belongings[0].record).to.include({ target_id: target, body: '<p>Hot</p>' });
    expect(before.$belongings[0].record.id).not.to.equal('cmt-1');
    const wrong = [{ collection: 'comment', record: { ...comment, body: 7 } }];
    const error = await refusal({
      ...document,
      revisions: [{ ...deletion, before: { ...deletion.before, $belongings: wrong } }],
    });
    expect(error.field).to.match(/^revisions\[0\]\.before\.\$belongings\[0\]\.record\./);
  });

  it('of a newer version is rejected with the remedy [D9.newer]', async () => {
    const error = await refusal({ format: 'planner-export-v2', project: { name: 'x' }, whatever: 1 });
    expect(error).to.include({ error: 'invalid_argument', field: 'whatever' });
    const newer = await refusal({ format: 'planner-export-v2', project: { name: 'x' } });
    expect(newer).to.include({ error: 'invalid_argument', field: 'format' });
    expect(newer.message).to.match(
      /of a newer version of Planner; this version reads planner-export-v1\. Upgrade Planner/,
    );
    expect(await refusal({ format: 'plandesk-export-v3', project: {} })).to.include({ field: 'format' });
  });

  it('is imported as a whole or not at all, and errors name the path [D9.import]', async () => {
    const head = { format: 'planner-export-v1', project: { name: 'x' } };
    const link = { to: 'b', label: 'depends_on' };
    const revision = {
      at: '2030-01-01T00:00:00.000Z',
      target: 'a',
      target_type: 'task',
      author: 'x',
      fields: ['label'],
      before: { label: 'y' },
    };
    const task = { id: 'a', label: 'Dig' };
    const cases: readonly (readonly [object, string])[] = [
      [{ ...head, project: {} }, 'project.name'],
      [{ ...head, project: { name: ' ' } }, 'project.name'],
      [{ ...head, project: { name: 'x', folder_path: '../out' } }, 'project.folder_path'],
      [{ ...head, project: { name: 'x', folder_path: 'a\0b' } }, 'project.folder_path'],
      [{ ...head, project: { name: 'x', owner: 'me' } }, 'project.owner'],
      [{ ...head, project: { name: 'x', default_goal_id: 'none' } }, 'project.default_goal_id'],
      [{ ...head, tasks: [task, { id: 'b' }] }, 'tasks[1].label'],
      [{ ...head, tasks: [task, { id: 'b', label: 'Sow', status: 'ready' }] }, 'tasks[1].status'],
      [{ ...head, tasks: [task, task] }, 'tasks[1].id'],
      [{ ...head, tasks: [{ id: 7, label: 'Dig' }] }, 'tasks[0].id'],
      [{ ...head, tasks: [{ ...task, estimate: 3 }] }, 'tasks[0].estimate'],
      [{ ...head, tasks: [{ ...task, created_at: 'soon' }] }, 'tasks[0].created_at'],
      [{ ...head, tasks: [{ ...task, links: [link, {}] }] }, 'tasks[0].links[0].id'],
      [{ ...head, tasks: [{ ...task, links: 'b' }] }, 'tasks[0].links'],
      [
        { ...head, tasks: [{ ...task, links: [{ ...link, id: 'e', type: 'task', label: {} }] }] },
        'tasks[0].links[0].label',
      ],
      [{ ...head, tasks: {} }, 'tasks'],
      [{ ...head, tasks: [null] }, 'tasks[0]'],
      [{ ...head, tags: [{ name: 'Soil' }, { name: 'soil' }] }, 'tags[1].name'],
      [{ ...head, folders: [{ id: 'f', name: 'A', parent_folder_id: 'f' }] }, 'folders[0].parent_folder_id'],
      [{ ...head, folders: [{ id: 'f', name: 'A', parent_folder_id: 'g' }] }, 'folders[0].parent_folder_id'],
      [
        {
          ...head,
          folders: [
            { id: 'f', name: 'A' },
            { id: 'g', name: 'a' },
          ],
        },
        'folders[1].name',
      ],
      [{ ...head, folders: [{ id: 'f' }] }, 'folders[0].name'],
      [{ ...head, canvas: { layout: null, nodes: [] } }, 'canvas.nodes'],
      [{ ...head, tasks: [task], revisions: [{ ...revision, at: 'then' }] }, 'revisions[0].at'],
      [{ ...head, tasks: [task], revisions: [{ ...revision, target_type: 'tag' }] }, 'revisions[0].target_type'],
      [{ ...head, tasks: [task], revisions: [{ ...revision, before: { label: 7 } }] }, 'revisions[0].before.label'],
      [{ ...head, tasks: [task], revisions: [{ ...revision, by: 'x' }] }, 'revisions[0].by'],
    ];
    for (const [document, field] of cases) {
      const error = await refusal(document);
      expect(error, JSON.stringify(document)).to.include({ error: 'invalid_argument', field });
    }
    expect(service.store.check()).to.deep.equal([]);
  });

  it('is also available as JSON Canvas and as CSV [D9.formats]', async () => {
    const canvas = (await service.rest.get(`/projects/${full.id}/export?format=json-canvas`)).body;
    const nodes = new Map(canvas.nodes.map((node: Export) => [node.text.split('\n')[0], node]));
    expect([...nodes.keys()]).to.have.members(['# Dig', '# Sow seeds', '# By its own id', '# What we know']);
    expect(nodes.get('# Dig')).to.deep.include({
      ...{ type: 'text', x: 5, y: 6, width: 100, height: 50, color: '4' },
      text: '# Dig\n\nDeep.\n\n- one\n- two\n',
    });
    expect(canvas.edges).to.have.length(4);
    expect(canvas.edges.every(({ fromNode, toNode }: Export) => fromNode !== toNode)).to.equal(true);
    const csv = await service.rest.get(`/projects/${full.id}/export?format=csv`);
    expect(csv.headers.get('content-type')).to.equal('text/csv; charset=utf-8; header=present');
    const [header, ...rows] = (csv.body as string).split('\r\n');
    expect(header).to.match(/^id,label,status,.*,depends_on,.*,description$/);
    expect(rows.find((row) => row.startsWith(full.tasks[0]!)))
      .to.contain(`${full.tasks[0]},Dig,done,build,high,auto,low,Harvest,`)
      .and.to.contain(',"Earth, Spring work",');
    expect(csv.body).to.contain('"Deep.\n\n- one\n- two\n"');
    await service.rest.patch(`/tasks/${full.tasks[1]}`, { label: '=1+1' });
    expect((await service.rest.get(`/projects/${full.id}/export?format=csv`)).body).to.contain(",'=1+1,");
  });
});

/** The response without ids and times, its members in one order: a new record and a read one have different orders. */
function withoutTimes(body: Export, names: Names): string {
  return withoutIds(inOrder(body, names)).replace(/"(created_at|updated_at)":"[^"]+"/g, '');
}

/** The names of an export's records, by id. */
type Names = ReadonlyMap<string, string>;

function namesOf(document: Export): Names {
  const records: Export[] = Object.values(document as object)
    .filter(Array.isArray)
    .flat();
  return new Map(records.map((one) => [one.id, one.label ?? one.title ?? one.name ?? one.filename ?? '']));
}

/** Members by name; edges and references, which are ordered by ids, by their ends. */
function inOrder(value: Export, names: Names): Export {
  if (Array.isArray(value)) {
    const items = value.map((one) => inOrder(one, names));
    return items.some((one) => joins(one, names) !== undefined) ? items.sort(byWhatTheyJoin(names)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, inOrder(value[key], names)]),
  );
}

/** The names of the ends of an edge, a link, a link's entry or a bare id; undefined for everything else. */
function joins(one: Export, names: Names): string | undefined {
  if (typeof one === 'string') return names.get(one);
  const { from_id: from, to_id, to = to_id, edge_id: edge, id, label } = one ?? {};
  if (to === undefined && edge === undefined) return undefined;
  return [names.get(from), names.get(to ?? id), label].join('\0');
}

function byWhatTheyJoin(names: Names): (a: Export, b: Export) => number {
  return (a, b) => ((joins(a, names) ?? '') < (joins(b, names) ?? '') ? -1 : 1);
}
