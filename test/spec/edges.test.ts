import { expect } from 'chai';
import { type Transport, overBoth } from '../support/both.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { rarely } from '../support/rarely.ts';
import { TestService } from '../support/service.ts';

interface Edge {
  readonly id: string;
  readonly edge_id: string;
  readonly [field: string]: unknown;
}

interface Ends {
  readonly project_id: string;
  /** Two ids of each kind. */
  readonly task: readonly [string, string];
  readonly document: readonly [string, string];
}

async function ends(transport: Transport): Promise<Ends> {
  const project_id = await transport.service.project();
  const task = async (label: string): Promise<string> =>
    (await transport.call('create_task', { project_id, label })).id as string;
  const document = async (title: string): Promise<string> =>
    (await transport.call('create_document', { project_id, title, body: '' })).id as string;
  return {
    project_id,
    task: [await task('Dig'), await task('Plant')],
    document: [await document('Soil'), await document('Seeds')],
  };
}

/** The members of edges in every list, over either interface. */
const shownOf = ({ edge_id, from_type, from_id, to_type, to_id, label = null }: Record<string, unknown>): object => ({
  ...{ edge_id, from_type, from_id, to_type, to_id, label },
});

const types = ['task', 'document'] as const;

describe('Edges', () => {
  overBoth(
    'join tasks and documents in every combination, with and without a label [S.edge.types, S.rest.POST /projects/:id/edges, S.mcp.create_edge, D5.edge]',
    async (transport) => {
      const plan = await ends(transport);
      const { project_id } = plan;
      const made: Edge[] = [];
      for (const from_type of types) {
        for (const to_type of types) {
          const input = { project_id, from_type, from_id: plan[from_type][0], to_type, to_id: plan[to_type][1] };
          const { id, edge_id, created_at, ...rest } = await transport.call('create_edge', input);
          expect(id).to.match(/^edg_/).and.to.equal(edge_id);
          expect(created_at).to.match(/^\d{4}-.*Z$/);
          expect(rest).to.deep.equal({ ...input, label: null, style: null, arrow_direction: null });
          const looks = { label: 'leads to: "that"', style: 'dashed', arrow_direction: 'both' };
          const labelled = await transport.call('create_edge', { ...input, ...looks });
          expect(labelled).to.include({ ...input, ...looks });
          expect(labelled.id, 'another label is another edge').not.to.equal(id);
          made.push({ id, edge_id, ...rest }, labelled);
        }
      }
      const { edges } = await transport.call('list_edges', { project_id });
      expect(edges.map(shownOf)).to.have.deep.members(made.map(shownOf));
    },
  );

  overBoth('are not created twice: the existing one is returned [D5.edge-once, D3.labels-alike]', async (transport) => {
    const { project_id, task } = await ends(transport);
    const input = { project_id, from_type: 'task', from_id: task[0], to_type: 'task', to_id: task[1] };
    const plain = await transport.call('create_edge', input);
    expect(await transport.call('create_edge', { ...input, label: null })).to.deep.equal(plain);
    const labelled = await transport.call('create_edge', { ...input, label: 'depends_on', style: 'bold' });
    for (const label of ['depends_on', 'Depends on', 'DEPENDS-ON'])
      expect(await transport.call('create_edge', { ...input, label }), label).to.deep.equal(labelled);
    const back = await transport.call('create_edge', { ...input, from_id: task[1], to_id: task[0] });
    expect(new Set([plain.id, labelled.id, back.id]).size, 'the other way is another edge').to.equal(3);
    expect((await transport.call('list_edges', { project_id })).edges).to.have.length(3);
  });

  overBoth(
    'require two ends that exist in the project, with the given types [D5.endpoints, D3.self-edge]',
    async (transport) => {
      const { project_id, task, document } = await ends(transport);
      const elsewhere = await ends(transport);
      const { id: goal } = await transport.call('create_goal', { project_id, objective: 'G' });
      const input = { project_id, from_type: 'task', from_id: task[0], to_type: 'task', to_id: task[1] };
      for (const [change, field] of [
        [{ to_id: 'tsk_none' }, 'to_id'],
        [{ from_id: 'tsk_none' }, 'from_id'],
        [{ to_id: elsewhere.task[0] }, 'to_id'],
        [{ from_id: elsewhere.task[0] }, 'from_id'],
        [{ to_id: document[0] }, 'to_type'],
        [{ from_type: 'document' }, 'from_type'],
        [{ to_id: goal }, 'to_type'],
        [{ to_type: 'goal', to_id: goal }, 'to_type'],
        [{ to_id: task[0] }, 'to_id'],
        [{ label: ' ' }, 'label'],
        [{ label: 'x'.repeat(501) }, 'label'],
        [{ id: 'edg_mine' }, 'id'],
      ] as const) {
        const refused = await transport.refusal('create_edge', { ...input, ...change });
        expect(refused, JSON.stringify(change).slice(0, 60)).to.include({ error: 'invalid_argument', field });
      }
      for (const missing of ['from_type', 'from_id', 'to_type', 'to_id'] as const) {
        const { [missing]: _, ...rest } = input;
        expect(await transport.refusal('create_edge', rest)).to.include({ error: 'invalid_argument', field: missing });
      }
      expect(await transport.refusal('create_edge', { ...input, project_id: 'prj_none' })).to.include({
        error: 'not_found',
      });
      expect((await transport.call('list_edges', { project_id })).edges, 'nothing was made').to.deep.equal([]);
    },
  );

  overBoth(
    'are listed with typed ends, all of them or those at one end, page by page [S.rest.GET /projects/:id/edges, S.mcp.list_edges]',
    async (transport) => {
      const { project_id, task, document } = await ends(transport);
      const join = (from_type: string, from_id: string, to_type: string, to_id: string): Promise<Edge> =>
        transport.call('create_edge', { project_id, from_type, from_id, to_type, to_id }) as Promise<Edge>;
      const order = await join('task', task[0], 'task', task[1]);
      const about = await join('document', document[0], 'task', task[0]);
      const cites = await join('document', document[0], 'document', document[1]);
      const list = async (filter: object): Promise<object[]> =>
        (await transport.call('list_edges', { project_id, ...filter })).edges.map(shownOf) as object[];
      // Edges of one millisecond are in the order of their derived ids.
      expect(await list({})).to.have.deep.members([order, about, cites].map(shownOf));
      expect(await list({ from_id: document[0] })).to.have.deep.members([about, cites].map(shownOf));
      expect(await list({ to_id: task[0] })).to.deep.equal([about].map(shownOf));
      expect(await list({ from_id: document[0], to_id: document[1] })).to.deep.equal([cites].map(shownOf));
      expect(await list({ from_id: task[1] })).to.deep.equal([]);
      const { edges, next_cursor: cursor } = await transport.call('list_edges', { project_id, limit: 2 });
      expect([edges.length, (await list({ cursor })).length]).to.deep.equal([2, 1]);
      expect(await transport.refusal('list_edges', { project_id: 'prj_none' })).to.include({ error: 'not_found' });
    },
  );

  overBoth(
    'are deleted one by one, their siblings untouched [S.rest.DELETE /projects/:id/edges/:edgeId, S.mcp.delete_edge, S.edge.siblings]',
    async (transport) => {
      const { project_id, task, document } = await ends(transport);
      const input = { project_id, from_type: 'task', from_id: task[0] };
      const gone = await transport.call('create_edge', { ...input, to_type: 'task', to_id: task[1] });
      const same = await transport.call('create_edge', { ...input, to_type: 'task', to_id: task[1], label: 'relates' });
      const other = await transport.call('create_edge', { ...input, to_type: 'document', to_id: document[0] });
      const elsewhere = await ends(transport);
      await transport.refusal('delete_edge', { project_id: elsewhere.project_id, edge_id: gone.edge_id });
      await transport.call('delete_edge', { project_id, edge_id: gone.edge_id });
      const rest = async (): Promise<Edge[]> =>
        (await transport.service.rest.get(`/projects/${project_id}/edges`)).body.edges as Edge[];
      expect(await rest()).to.have.deep.members([same, other]);
      for (const edge_id of [gone.edge_id, 'edg_none']) {
        const refused = await transport.refusal('delete_edge', { project_id, edge_id });
        expect(refused).to.include({ error: 'not_found', resource: 'edge', id: edge_id });
      }
      const seen = await transport.call('get_document', { document_id: document[0] });
      await transport.call('delete_edge', { project_id, edge_id: seen.backlinks[0].edge_id });
      expect(await rest(), 'by the id in an entry of a document').to.deep.equal([same]);
      expect((await transport.call('list_tasks', { project_id })).tasks, 'the ends stay').to.have.length(2);
      const again = await transport.call('create_edge', { ...input, to_type: 'task', to_id: task[1] });
      expect(await rest()).to.deep.include(again);
    },
  );

  it('return 201 when created, 204 without a body when deleted, and are the same after a restart [D2.statuses]', async () => {
    const service = await TestService.start();
    try {
      const path = `/projects/${await service.project()}`;
      const [from, to] = ['A', 'B'].map(
        async (label) => (await service.rest.post(`${path}/tasks`, { label })).body.id as string,
      );
      const joined = { from_type: 'task', from_id: await from, to_type: 'task', to_id: await to };
      const made = await service.rest.post(`${path}/edges`, { ...joined, label: 'blocks', style: 'thick' });
      expect(made.status).to.equal(201);
      await service.restart();
      expect((await service.rest.get(`${path}/edges`)).body.edges).to.deep.equal([made.body]);
      const gone = await service.rest.delete(`${path}/edges/${made.body.edge_id}`);
      expect([gone.status, gone.body]).to.deep.equal([204, undefined]);
      await service.restart();
      expect((await service.rest.get(`${path}/edges`)).body.edges).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });

  it('that a person wrote twice in a file, except for the case of their label, can be written back as read', async () => {
    const service = await TestService.start({ watch: false });
    try {
      const path = `/projects/${await service.project()}/canvas`;
      await service.store.flush();
      const files = new PlanFiles(service);
      const links = 'links:\n  - {to: b, label: after}\n  - {to: b, label: After}\n';
      files.write('tasks/a.a.md', `---\nid: a\nlabel: A\n${links}---\n`);
      files.write('tasks/b.b.md', '---\nid: b\nlabel: B\n---\n');
      await service.store.rescan();
      const { body: read } = await service.rest.get(path);
      expect(read.edges.map(({ label }: { label: string }) => label)).to.have.members(['after', 'After']);
      const { status, body } = await service.rest.put(path, read);
      expect([status, body]).to.deep.equal([200, read]);
    } finally {
      await service.stop();
    }
  });

  rarely('more of them than a file can contain are rejected before anything is stored', async () => {
    const service = await TestService.start();
    try {
      const project = `/projects/${await service.project()}`;
      const nodes = Array.from({ length: 9000 }, (_, at) => ({ id: `t${at}`, label: `Task ${at}` }));
      const label = 'x'.repeat(480);
      const edges = nodes.slice(1).map(({ id }) => ({ from_id: 't0', to_id: id, label }));
      const { status, body } = await service.rest.put(`${project}/canvas`, { nodes, edges });
      expect([status, body.error, body.id]).to.deep.equal([413, 'payload_too_large', 't0']);
      expect((await service.rest.get(`${project}/tasks`)).body.tasks).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });

  rarely('thousands of them start at one task or document, created by one call', async () => {
    const service = await TestService.start();
    try {
      const project = `/projects/${await service.project()}`;
      const nodes = Array.from({ length: 2000 }, (_, at) => ({ id: `t${at}`, label: `Task ${at}` }));
      const edges = nodes.slice(1).map(({ id }) => ({ from_id: 't0', to_id: id, label: 'before' }));
      const { body: canvas } = await service.rest.put(`${project}/canvas`, { nodes, edges });
      expect(canvas.edges).to.have.length(edges.length);
      const { body: again } = await service.rest.put(`${project}/canvas`, canvas);
      expect(again.edges, 'nor are they made twice').to.have.length(edges.length);
      const link_to = nodes.map(({ id }) => id);
      const { body: document } = await service.rest.post(`${project}/documents`, { title: 'All', body: '', link_to });
      expect(document.links).to.have.length(nodes.length);
      await service.store.flush();
      expect(service.store.check(), 'the files contain them').to.deep.equal([]);
      await service.restart();
      expect((await service.rest.get(`/documents/${document.id}`)).body.links).to.have.length(nodes.length);
      expect((await service.rest.get(`${project}/problems`)).body.problems).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });
});
