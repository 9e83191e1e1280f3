import { expect } from 'chai';
import { lenientInput } from '../../src/operations/pipeline/lenient-input.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import { inlined } from '../../src/schema/inline.ts';
import { validator } from '../../src/schema/validators.ts';

type Members = Readonly<Record<string, unknown>>;

const operations = new Map(catalogue.map((operation) => [operation.name, operation]));

/** The meaning of a tool's arguments, and the fields at which validation then rejects them. */
function read(tool: string, input: Members): { readonly meant: Members; readonly wrong: readonly string[] } {
  const { input: definition, rest } = operations.get(tool)!;
  const meant = lenientInput(input, inlined(definition), rest?.method === 'PATCH');
  return { meant, wrong: validator(definition)(meant).map(({ field }) => field ?? '') };
}

function means(tool: string, input: Members, meant: Members): void {
  expect(read(tool, input), `${tool} ${JSON.stringify(input)}`).to.deep.equal({ meant, wrong: [] });
}

const [task_id, project_id, document_id] = ['tsk_4n0c2m8w1x7k9q3f', 'prj_4n0c2m8w1x7k9q3f', 'doc_4n0c2m8w1x7k9q3f'];

describe('Arguments of tools', () => {
  it('are numbers, booleans, lists and objects also as their JSON text, at every depth [D13.json-text]', () => {
    means('create_task', { label: 'x', tags: '["a","b"]' }, { label: 'x', tags: ['a', 'b'] });
    means('update_task', { task_id, tags: ' [] ' }, { task_id, tags: [] });
    means('list_tasks', { limit: '5', verbose: 'true' }, { limit: 5, verbose: true });
    means('list_comments', { include_resolved: 'False' }, { include_resolved: false });
    means('update_task', { task_id, position: '{"x":"10","y":-2.5}' }, { task_id, position: { x: 10, y: -2.5 } });
    means('update_task', { task_id, position: { x: '1e2', y: '0' } }, { task_id, position: { x: 100, y: 0 } });
    means(
      'create_document',
      { title: 'T', body: '', link_to: `["${task_id}"]` },
      { title: 'T', body: '', link_to: [task_id] },
    );
    means('create_document', { title: 'T', body: '', link_to: task_id }, { title: 'T', body: '', link_to: task_id });
    means(
      'move_documents',
      { document_ids: `["${document_id}"]`, folder_id: null },
      { document_ids: [document_id], folder_id: null },
    );
    means(
      'claim_task',
      { task_id, agent_ref: 'ann', lease_seconds: '600' },
      { task_id, agent_ref: 'ann', lease_seconds: 600 },
    );
    means(
      'create_prototype',
      { name: 'P', viewport: '{"width":"390","height":844}' },
      { name: 'P', viewport: { width: 390, height: 844 } },
    );
    const items = [{ criterion: '5' }, { criterion: 'true', id: 'chk_1' }];
    const verification_surface = { kind: 'acceptance_checklist', items };
    for (const surface of [
      JSON.stringify(verification_surface),
      { ...verification_surface, items: JSON.stringify(items) },
      JSON.stringify({ ...verification_surface, items: items.map((item) => JSON.stringify({ id: null, ...item })) }),
    ])
      means('create_goal', { objective: 'x', verification_surface: surface }, { objective: 'x', verification_surface });
    const evidence = { kind: 'gate_command', exit_code: 0 };
    means(
      'complete_goal',
      { goal_id: 'gol_1', evidence: '{"kind":"gate_command","exit_code":"0"}' },
      { goal_id: 'gol_1', evidence },
    );
    means(
      'add_artifact_comment',
      { artifact_id: 'a', body: 'b', anchor: '{"type":"X"}' },
      { artifact_id: 'a', body: 'b', anchor: { type: 'X' } },
    );
    const tasks = [{ key: 'a', label: 'A', position: { x: 1, y: 2 } }];
    means(
      'scaffold_project_from_plan',
      { tasks: '[{"key":"a","label":"A","position":"{\\"x\\":1,\\"y\\":\\"2\\"}"}]' },
      { tasks },
    );
  });

  it('stay texts where a text is wanted, and wrong where nothing else can be meant [D13.json-text]', () => {
    means('create_task', { label: '5', description: '["a"]' }, { label: '5', description: '["a"]' });
    means('create_document', { title: 'true', body: 'null' }, { title: 'true', body: 'null' });
    for (const [tool, input, field] of [
      ['create_task', { label: 'x', tags: 'a,b' }, 'tags'],
      ['create_task', { label: 'x', tags: '["a"' }, 'tags'],
      ['create_task', { label: 'x', tags: '{"a":1}' }, 'tags'],
      ['create_task', { label: 7 }, 'label'],
      ['list_tasks', { limit: '5.5' }, 'limit'],
      ['list_tasks', { limit: 'five' }, 'limit'],
      ['list_tasks', { limit: '0x10' }, 'limit'],
      ['list_tasks', { verbose: 'yes' }, 'verbose'],
      ['list_tasks', { verbose: '1' }, 'verbose'],
      ['list_tasks', { tags: [null] }, 'tags[0]'],
      ['list_tasks', { unknown: null }, 'unknown'],
      ['create_task', { label: null }, 'label'],
      ['create_task', { label: '' }, 'label'],
    ] as const)
      expect(read(tool, input).wrong, `${tool} ${JSON.stringify(input)}`).to.deep.equal([field]);
  });

  it('were not given if they are null or empty where that is no value [D13.absent]', () => {
    means('list_tasks', { status: null, tags: null, goal_id: null, limit: null, cursor: null }, {});
    means('list_tasks', { status: '', tags: [], goal_id: '', limit: '', cursor: '', assignee: '', priority: '' }, {});
    means('list_projects', { limit: 'null' }, {});
    means('search', { query: 'x', types: [], project_id: '', bodies: '' }, { query: 'x' });
    const bare = { label: 'x' };
    means(
      'create_task',
      { ...bare, goal_id: '', status: '', kind: null, priority: '', due_date: '', position: {} },
      bare,
    );
    means('create_task', { ...bare, project_id: null, description: null, tags: null, commit_refs: null }, bare);
    means('update_task', { task_id, label: null, status: '', position: null, project_id: '' }, { task_id });
    means('complete_goal', { goal_id: 'gol_1', evidence: {} }, { goal_id: 'gol_1' });
    // A client that sends every member of its schema sends members of the other alternatives, too.
    const others = { command: null, detail: '', checked: [], approved_by: null };
    means(
      'complete_goal',
      { goal_id: 'gol_1', evidence: { kind: 'gate_command', exit_code: 0, ...others } },
      { goal_id: 'gol_1', evidence: { kind: 'gate_command', exit_code: 0 } },
    );
    expect(
      read('complete_goal', { goal_id: 'g', evidence: { kind: 'gate_command', exit_code: 0, checked: ['a'] } }).wrong,
    ).to.deep.equal(['evidence.checked']);
    means(
      'create_goal',
      { objective: 'x', verification_surface: { kind: 'human_sign_off', command: '', items: null } },
      { objective: 'x', verification_surface: { kind: 'human_sign_off' } },
    );
    means('create_task', { label: 'x', position: { x: null, y: null } }, { label: 'x' });
    means('create_prototype', { name: 'x', viewport: '{"width":"","height":null}' }, { name: 'x' });
    // A new record has nothing that could be cleared.
    means('create_project', { name: 'x', description: '', repo_url: '', folder_path: '' }, { name: 'x' });
    means('create_task', { ...bare, description: '', tags: [], assignee: '', verified_ref: '', verified_at: '' }, bare);
    means('create_document', { title: 'x', body: '', folder_id: '', link_to: [] }, { title: 'x', body: '' });
    means('create_goal', { objective: 'x', name: '', verification_surface: {} }, { objective: 'x' });
    means('create_folder', { name: 'x', parent_folder_id: '' }, { name: 'x' });
    means('list_tasks', { status: 'null', limit: ' ', verbose: '' }, {});
    means(
      'scaffold_project_from_plan',
      { tasks: [{ key: 'a', label: 'A', status: '', tags: null }], goal: {} },
      { tasks: [{ key: 'a', label: 'A' }] },
    );
    means(
      'triage_submission',
      { submission_id: 's', action: 'reject', link_task_id: '', as_task: null },
      { submission_id: 's', action: 'reject' },
    );
  });

  it('keep null and empty where they have a meaning of their own [D13.absent]', () => {
    const cleared = { task_id, assignee: null, due_date: null, priority: null, tags: [], description: '' };
    means('update_task', cleared, cleared);
    means('list_documents', { project_id, folder_id: null }, { project_id, folder_id: null });
    means('delete_folder', { folder_id: 'f', reparent_to: null }, { folder_id: 'f', reparent_to: null });
    // The schemas of tools have one type each, so that a client may be unable to send null itself.
    means(
      'update_task',
      { task_id, due_date: 'null', priority: 'null', assignee: 'null', label: 'null' },
      { task_id, due_date: null, priority: null, assignee: null, label: 'null' },
    );
    means(
      'move_documents',
      { document_ids: [document_id], folder_id: 'null' },
      { document_ids: [document_id], folder_id: null },
    );
    // Neither clears the date nor leaves it: which of them is meant is not guessed.
    expect(read('update_task', { task_id, due_date: '' }).wrong).to.deep.equal(['due_date']);
  });
});
