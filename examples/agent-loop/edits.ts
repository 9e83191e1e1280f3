import type { Agent } from './agent.ts';
import type { FiledPlan } from './file-plan.ts';
import { eventually, type Person } from './person.ts';
import type { Task } from './work.ts';

/** An edit by a person, when it is made, and how the agent checks that it arrived. */
export interface Edit {
  readonly goal: string;
  /** After this many tasks of the goal are done. */
  readonly after: number;
  readonly what: string;
  readonly make: () => Promise<void>;
  readonly seen: () => Promise<boolean>;
}

export const sharper = 'Show the list within a second';
export const dropped = { file: 'Thank the first buyer by hand.md', label: 'Thank the first buyer by hand' };
export const byHand = 'imprint';
const paragraph = 'A reservation is fifteen minutes, not ten.';

/** The edits that a person makes in the files of the plan while the agent works on it. */
export function editsOf(person: Person, agent: Agent, { tasks, projectId }: FiledPlan): Edit[] {
  const id = (key: string): string => tasks.get(key)!;
  const task = async (key: string): Promise<Task> =>
    (await agent.call<{ task: Task }>('get_task', { task_id: id(key) })).task;
  return [
    {
      goal: 'Catalogue',
      after: 3,
      what: `rewords a task: "${sharper}"`,
      make: async () => void (await person.set(id('list'), 'label', sharper)),
      seen: async () => (await task('list')).label === sharper,
    },
    {
      goal: 'Catalogue',
      after: 5,
      what: 'tags a task with "fragile"',
      make: async () => void (await person.addTag(id('sold'), 'fragile')),
      seen: async () => (await task('sold')).tags.some(({ name }) => name === 'fragile'),
    },
    {
      goal: 'Checkout',
      after: 2,
      what: 'writes a sentence into "The states of an order"',
      make: async () => void (await person.append('The states of an order', paragraph)),
      seen: async () => (await documentBody(agent, projectId, 'The states of an order')).includes(paragraph),
    },
    {
      goal: 'Checkout',
      after: 6,
      what: `drops "${dropped.file}" among the tasks`,
      make: () => Promise.resolve(void person.drop(dropped.file, 'A card, not a mail.\n')),
      seen: async () => (await labels(agent, projectId)).includes(dropped.label),
    },
    {
      goal: 'Opening',
      after: 1,
      what: 'did the imprint and marks it done in its file',
      make: async () => void (await person.set(id(byHand), 'status', 'done')),
      seen: async () => (await task(byHand)).status === 'done',
    },
  ];
}

/** Makes an edit and waits until the service shows it. */
export async function arrive(edit: Edit, say: (line: string) => void): Promise<void> {
  await edit.make();
  const began = performance.now();
  await eventually(
    async () => ((await edit.seen()) ? true : undefined),
    `the service to show that a person ${edit.what}`,
  );
  say(`PERSON ${edit.what} (seen after ${Math.round(performance.now() - began)} ms)`);
}

export async function labels(agent: Agent, projectId: string): Promise<string[]> {
  const { tasks } = await agent.call<{ tasks: Task[] }>('list_tasks', { project_id: projectId, limit: 1000 });
  return tasks.map(({ label }) => label);
}

interface DocumentTree {
  readonly documents: readonly { readonly id: string; readonly title: string }[];
}

async function documentBody(agent: Agent, projectId: string, title: string): Promise<string> {
  const tree = await agent.call<DocumentTree>('list_documents', { project_id: projectId });
  const found = tree.documents.find((document) => document.title === title);
  if (found === undefined) return '';
  const { document } = await agent.call<{ document: { body: string } }>('get_document', { document_id: found.id });
  return document.body;
}
