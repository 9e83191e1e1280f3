import type { Name } from '../../src/store/record/record.ts';
import type { PlannerCollections } from '../../src/domain/records/collections.ts';
import type { TestService } from './service.ts';

/** The service that it is created in. */
type Filled = Pick<TestService, 'rest'> & { readonly store: Pick<TestService['store'], 'stage' | 'update'> };

type Records = { readonly [N in Name<PlannerCollections>]?: readonly Omit<PlannerCollections[N], 'updated_at'>[] };

/** The contents of the full project, for tests that look for it again. */
export interface FullProject {
  readonly id: string;
  readonly tasks: readonly string[];
  readonly document: string;
  readonly artifact: string;
  readonly file: string;
}

/** Creates a project with a record of every kind, each with all of its fields and references. */
export async function fullProject(service: Filled, bytes = fileBytes): Promise<FullProject> {
  const { rest } = service;
  const made = async (path: string, body: object): Promise<{ readonly id: string }> => {
    const answer = await rest.post(path, body);
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${JSON.stringify(answer.body)}`);
    return answer.body as { readonly id: string };
  };
  const { id } = await made('/projects', { name: 'Garden & "beds"', description: 'With ümlauts.' });
  await rest.patch(`/projects/${id}`, { repo_url: 'https://example.org/garden.git', folder_path: 'src/garden' });
  const goal = await made(`/projects/${id}/goals`, {
    ...{ name: 'Harvest', objective: 'Apples in **October**', budget: '10 days', constraints: 'No poison' },
    verification_surface: { kind: 'acceptance_checklist', items: [{ criterion: 'Baskets are full' }] },
  });
  const first = await made(`/projects/${id}/tasks`, {
    ...{ label: 'Dig', status: 'done', priority: 'high', lane: 'auto', severity: 'low', due_date: '2030-05-01' },
    ...{ tags: ['soil', 'Spring work'], commit_refs: ['abcdef1'], verified_at: '2030-05-02T10:00:00.000Z' },
    ...{
      verified_ref: 'ci/7',
      description: 'Deep.\n\n- one\n- two\n',
      goal_id: goal.id,
      position: { x: -10.5, y: 20 },
    },
  });
  const second = await made(`/projects/${id}/tasks`, { label: 'Sow', kind: 'decision', assignee: 'agent-7' });
  await rest.patch(`/tasks/${second.id}`, { label: 'Sow seeds', description: `After ${first.id}.` });
  const edges = `/projects/${id}/edges`;
  await made(edges, { from_type: 'task', from_id: first.id, to_type: 'task', to_id: second.id });
  await made(edges, {
    ...{ from_type: 'task', from_id: second.id, to_type: 'task', to_id: first.id, label: 'relates' },
    ...{ style: 'dashed', arrow_direction: 'both' },
  });
  const file = await putFile(service, id, bytes);
  const outer = await made(`/projects/${id}/folders`, { name: 'Plans' });
  const inner = await made(`/projects/${id}/folders`, { name: 'Old', parent_folder_id: outer.id });
  const document = await made(`/projects/${id}/documents`, {
    ...{
      title: 'What we know',
      body: `See the picture: ![bed](/api/v1/files/${file}).\n`,
      status: 'draft',
      folder_id: inner.id,
      link_to: [first.id],
    },
    position: { x: 1, y: 2 },
  });
  const gone = await made(`/projects/${id}/tasks`, { label: 'Burn leaves', goal_id: goal.id });
  await made(edges, { from_type: 'task', from_id: gone.id, to_type: 'task', to_id: second.id, label: 'blocks' });
  await rest.delete(`/tasks/${gone.id}`);
  await rest.put(`/projects/${id}/canvas`, {
    nodes: [
      { id: first.id, x: 5, y: 6, width: 100, height: 50 },
      { id: 'own-node', label: 'By its own id', x: 0, y: 0 },
    ],
    edges: [
      { id: 'own-edge', from_type: 'task', from_id: 'own-node', to_type: 'task', to_id: first.id, label: 'next' },
    ],
    layout: { zoom: 1.5, pinned: [first.id], [second.id]: { open: true } },
  });
  const tag = (await rest.get(`/projects/${id}/tags`)).body.tags[0] as { readonly id: string };
  await rest.patch(`/tags/${tag.id}`, { name: 'Earth', color: '#a0522d' });
  const artifact = await putOthers(service, id, { task: first.id, document: document.id });
  return { id, tasks: [first.id, second.id, 'own-node'], document: document.id, artifact, file };
}

/** Bytes of which no two are alike in their neighbourhood, and whose number leaves a rest in base64. */
export const fileBytes = Uint8Array.from({ length: 100_001 }, (_, at) => (at * 7 + (at >> 8)) & 255);

async function putFile({ store }: Filled, project: string, bytes: Uint8Array): Promise<string> {
  const staged = await store.stage([bytes]);
  return store.update(project, { author: 'human:Ada', source: 'rest' }, (tx) => {
    const id = tx.newId('file');
    tx.put('file', { id, created_at: tx.now, filename: 'bed ü.png', mime: 'image/png', ...staged });
    return id;
  });
}

/** Records of the kinds that no call above made, each with all of its fields. */
async function putOthers(
  { store }: Filled,
  project: string,
  { task, document }: { readonly task: string; readonly document: string },
): Promise<string> {
  return store.update(project, { author: 'agent:tester', source: 'rest' }, (tx) => {
    const id = { prototype: tx.newId('prototype'), artifact: tx.newId('artifact'), note: tx.newId('note') };
    const submission = tx.newId('submission');
    const at = { created_at: tx.now };
    const comment = { author: 'human:Ada', resolved: false, passage: null, anchor: null, body: '<p>Why?</p>' };
    const link = `[next](planner://artifact/${id.artifact}) in ${project}`;
    const records: Records = {
      note: [{ id: id.note, ...at, title: 'Frost', body: `Late in May, see /api/v1/tasks/${task}.\n` }],
      prototype: [{ id: id.prototype, ...at, name: 'Shop', viewport: { width: 390, height: 844.5 }, links: [] }],
      artifact: [
        {
          id: id.artifact,
          ...at,
          title: 'Home',
          kind: 'html',
          content: `<p>${link}</p>`,
          prototype_id: id.prototype,
          links: [],
        },
      ],
      submission: [
        {
          ...{ id: submission, ...at, participant_name: 'Bo', title: 'More plums', body: 'Please.', severity: 'high' },
          ...{ task_ref: task, status: 'accepted', linked_task_id: task },
        },
      ],
      comment: [
        { id: tx.newId('comment'), ...at, ...comment, target_type: 'task', target_id: task },
        { id: tx.newId('comment'), ...at, ...comment, target_type: 'note', target_id: id.note, resolved: true },
        {
          id: tx.newId('comment'),
          ...at,
          ...comment,
          target_type: 'document',
          target_id: document,
          passage: 'picture',
        },
        { id: tx.newId('comment'), ...at, ...comment, target_type: 'submission', target_id: submission },
        {
          ...{ id: tx.newId('comment'), ...at, ...comment, target_type: 'artifact', target_id: 'docs/plan.pdf' },
          anchor: { type: 'TextQuoteSelector', exact: 'beds' },
        },
      ],
      view: [
        { id: tx.newId('view'), ...at, name: 'Mine', position: 2, config: { filter: { ids: [task] }, sort: null } },
      ],
      run: [
        {
          ...{ id: tx.newId('run'), ...at, status: 'completed', label: 'Night run', agent_ref: 'bot-1' },
          ...{ started_at: tx.now, completed_at: tx.now },
          events: [{ id: tx.newId('event'), message: `Began ${task}`, created_at: tx.now }],
        },
      ],
    };
    for (const [collection, list] of Object.entries(records)) {
      for (const record of list) tx.put(collection as 'note', record as never);
    }
    return id.artifact;
  });
}
