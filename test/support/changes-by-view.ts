import type { RestClient } from './rest-client.ts';

/** A project with a record of each kind that a view can open. */
export interface Planted {
  readonly rest: Pick<RestClient, 'get' | 'post' | 'patch' | 'delete'>;
  readonly project: string;
  readonly task: string;
  readonly document: string;
  readonly goal: string;
  readonly note: string;
  readonly artifact: string;
  readonly prototype: string;
  readonly run: string;
}

/** A view, and a change of another client that it shows. */
export interface ViewChange {
  readonly view: string;
  /** The address, below the project's. */
  readonly path: (planted: Planted) => string;
  /** Resolves when the change is acknowledged; `text`, which no earlier change had, is then to be shown. */
  readonly change: (planted: Planted, text: string) => Promise<unknown>;
}

/** Fills a project. */
export async function plant(rest: Planted['rest'], project: string): Promise<Planted> {
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await rest.post(`/projects/${project}/${path}`, body);
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${JSON.stringify(answer.body)}`);
    return String((answer.body as { readonly id: unknown }).id);
  };
  const prototype = await made('prototypes', { name: 'Shop', viewport: { width: 390, height: 844 } });
  return {
    rest,
    project,
    task: await made('tasks', { label: 'Dig', position: { x: 0, y: 0 } }),
    document: await made('documents', { title: 'Soil', body: 'Clay.' }),
    goal: await made('goals', { name: 'Spring', objective: 'Green beds.' }),
    note: await made('notes', { title: 'Frost', body: 'Late in May.' }),
    artifact: await made('artifacts', { title: 'Report', kind: 'markdown', content: 'All is well.' }),
    prototype,
    run: await made('agent-runs', { label: 'Night round' }),
  };
}

const create =
  (collection: string, body: (text: string) => object): ViewChange['change'] =>
  ({ rest, project }, text) =>
    rest.post(`/projects/${project}/${collection}`, body(text));

/** The views of a project, each with what another client changes. */
export const changesByView: readonly ViewChange[] = [
  { view: 'overview', path: () => '', change: create('documents', (title) => ({ title, body: 'Loam.' })) },
  { view: 'board', path: () => '/board', change: create('tasks', (label) => ({ label })) },
  {
    view: 'task',
    path: ({ task }) => `/board?task=${task}`,
    change: ({ rest, task }, text) => rest.post(`/tasks/${task}/comments`, { body: `<p>${text}</p>` }),
  },
  { view: 'list', path: () => '/list', change: create('tasks', (label) => ({ label })) },
  {
    view: 'canvas',
    path: () => '/canvas',
    change: ({ rest, task }, label) => rest.patch(`/tasks/${task}`, { label }),
  },
  { view: 'documents', path: () => '/documents', change: create('documents', (title) => ({ title, body: 'Sand.' })) },
  {
    view: 'document',
    path: ({ document }) => `/documents/${document}?mode=read`,
    change: ({ rest, document }, text) => rest.patch(`/documents/${document}`, { body: `Clay. ${text}` }),
  },
  { view: 'goals', path: () => '/goals', change: ({ rest, goal }, name) => rest.patch(`/goals/${goal}`, { name }) },
  {
    view: 'goal',
    path: ({ goal }) => `/goals/${goal}`,
    change: ({ rest, goal }, text) => rest.patch(`/goals/${goal}`, { objective: `Green beds: ${text}` }),
  },
  { view: 'review', path: () => '/review', change: create('tasks', (label) => ({ label, status: 'done' })) },
  {
    view: 'inbox',
    path: () => '/inbox',
    change: create('submissions', (title) => ({ participant_name: 'Grace', title, body: 'Please.' })),
  },
  {
    view: 'agents',
    path: () => '/agents',
    change: ({ rest, run }, message) => rest.post(`/agent-runs/${run}/progress`, { message }),
  },
  {
    view: 'history',
    path: () => '/history',
    change: ({ rest, task }, label) => rest.patch(`/tasks/${task}`, { label }),
  },
  {
    view: 'trash',
    path: () => '/trash',
    change: async (planted, label) => {
      const { body } = await planted.rest.post(`/projects/${planted.project}/tasks`, { label });
      await planted.rest.delete(`/tasks/${String((body as { readonly id: unknown }).id)}`);
    },
  },
  { view: 'notes', path: () => '/notes', change: create('notes', (title) => ({ title, body: '' })) },
  {
    view: 'note',
    path: ({ note }) => `/notes/${note}`,
    change: ({ rest, note }, text) => rest.post(`/notes/${note}/comments`, { body: `<p>${text}</p>` }),
  },
  {
    view: 'artifacts',
    path: () => '/artifacts',
    change: create('artifacts', (title) => ({ title, kind: 'markdown', content: '' })),
  },
  {
    view: 'artifact',
    path: ({ artifact }) => `/artifacts/${artifact}`,
    change: ({ rest, artifact }, text) => rest.patch(`/artifacts/${artifact}`, { content: `All is ${text}` }),
  },
  {
    view: 'prototypes',
    path: () => '/prototypes',
    change: create('prototypes', (name) => ({ name, viewport: { width: 390, height: 844 } })),
  },
  {
    view: 'prototype',
    path: ({ prototype }) => `/prototypes/${prototype}`,
    change: async (planted, title) =>
      planted.rest.post(`/projects/${planted.project}/artifacts`, {
        ...{ title, kind: 'html', content: '<p>Home</p>', prototype_id: planted.prototype },
      }),
  },
  {
    view: 'settings',
    path: () => '/settings',
    change: ({ rest, project }, name) => rest.patch(`/projects/${project}`, { name }),
  },
  {
    view: 'keys',
    path: () => '/settings/keys',
    change: ({ rest, project }, name) => rest.post('/keys', { kind: 'agent', name, project_id: project }),
  },
  {
    view: 'sharing',
    path: () => '/settings/sharing',
    change: create('participant-links', (text) => ({ audience_name: text, expires: '1h' })),
  },
  {
    view: 'webhooks',
    path: () => '/settings/webhooks',
    change: create('webhooks', (text) => ({ url: `https://hooks.example.org/${text}`, types: ['task.done'] })),
  },
];
