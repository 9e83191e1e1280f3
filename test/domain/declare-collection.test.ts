import { expect } from 'chai';
import { declare } from '../../src/domain/records/declare-collection.ts';
import { commentTargets, counts, searchFields } from '../../src/domain/records/declared.ts';
import { shown } from '../../src/domain/records/shown.ts';
import { memberNames } from '../../src/schema/schemas.ts';
import { shownRecords } from '../../src/schema/shown-records.ts';
import { Plan } from './plan.ts';

interface RiskRecord {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly title: string;
  readonly owner: string | null;
  readonly secret: string | null;
  readonly tags: readonly string[];
}

interface Risk {
  readonly id: string;
  readonly title: string;
  readonly owner: string | null;
  readonly tags: readonly { readonly name: string }[];
}

interface RiskRow {
  readonly id: string;
  readonly title: string;
  readonly owner?: string;
}

const risk = declare<RiskRecord, { details: Risk; row: RiskRow }>();
const options = {
  name: 'risk',
  id: 'note',
  format: 'json',
  location: { kind: 'slug', directory: 'risks', title: 'title' },
} as const;
const [title, owner, secret, tags] = [
  { given: true, shown: 'row' },
  { shown: 'row' },
  { shown: 'internal' },
  { absent: [], computed: true },
] as const;

describe('The declaration of a collection', () => {
  it('compiles only if it declares for each field where callers see it, like the definitions of its views', () => {
    const made = [
      risk({ ...options, fields: { title, owner, secret, tags } }),
      // A row may have it, and need not.
      risk({ ...options, fields: { title, owner: {}, secret, tags } }),
      // @ts-expect-error: owner is not declared.
      risk({ ...options, fields: { title, secret, tags } }),
      // @ts-expect-error: every row has the title.
      risk({ ...options, fields: { title: { given: true }, owner, secret, tags } }),
      // @ts-expect-error: no view has the secret.
      risk({ ...options, fields: { title, owner, secret: {}, tags } }),
      // @ts-expect-error: no row has the tags.
      risk({ ...options, fields: { title, owner, secret, tags: { absent: [], computed: true, shown: 'row' } } }),
      // @ts-expect-error: the view's tags are objects, so it computes them.
      risk({ ...options, fields: { title, owner, secret, tags: { absent: [] } } }),
      // @ts-expect-error: no summary has this count.
      risk({ ...options, counted: { as: 'risks' }, fields: { title, owner, secret, tags } }),
    ];
    for (const { name } of made) expect(name).to.equal('risk');
  });

  it('determines the searched texts, the kinds with comments, and the counts in the summary of a project', () => {
    expect(searchFields).to.deep.equal({
      goal: {
        title: 'name',
        texts: ['objective', 'constraints', 'boundaries', 'iteration_policy', 'stop_condition', 'budget'],
        list: 'goals',
      },
      task: { title: 'label', texts: ['description'], list: 'tasks' },
      document: { title: 'title', texts: ['body'], list: 'documents' },
      note: { title: 'title', texts: ['body'], list: 'notes' },
      artifact: { title: 'title', texts: ['content'], list: 'artifacts' },
      prototype: { title: 'name', texts: [], list: 'prototypes' },
      comment: { title: undefined, texts: ['body'], list: 'comments' },
      submission: { title: 'title', texts: ['participant_name', 'body'], list: 'submissions' },
      run: { title: undefined, texts: ['events', 'label', 'agent_ref'], list: 'runs' },
    });
    expect(commentTargets).to.deep.equal({
      ...{ task: 'record', document: 'record', note: 'record', submission: 'record', artifact: 'any' },
    });
    expect([...Object.keys(counts), 'awaiting_review', 'problems']).to.have.members(memberNames('ProjectSummary'));
  });

  it('determines the members of rows and details: a row leaves out defaults if its definition permits', () => {
    const plan = new Plan();
    const task = plan.task('task');
    const row = shown.task.row(task, { goal_id: 'gol_1', blocked: false });
    expect(row).to.deep.equal({ id: 'task', label: 'Task task', status: 'todo', goal_id: 'gol_1', blocked: false });
    expect(
      shown.task.row({ ...task, priority: 'high', assignee: 'agent:a' }, { goal_id: 'gol_1', blocked: false }),
    ).to.deep.include({ priority: 'high', assignee: 'agent:a' });
    const added = {
      ...{ project_id: 'prj_1', goal_id: 'gol_1', position: { x: 0, y: 0 }, lease_expires_at: null },
      ...{ tags: [], blocked: false, waiting_on: [] },
    };
    const behind = { ...task, rank: 'V', verification_behind: { commits: 2, touching: 1 } };
    const { description: _, ...head } = shown.task.details(behind, added);
    expect(shown.task.head(behind, added)).to.deep.equal(head);
    expect(Object.keys({ ...head, description: '', untrusted: true })).to.have.members(memberNames('Task'));
  });

  it('shows a field in generated views by its rule only', () => {
    const fields = {
      label: { shown: 'row' },
      priority: {},
      tags: { computed: true },
      size: { shown: 'internal' },
    } as const;
    const views = shownRecords([{ name: 'task', fields }]);
    expect(views.slice(views.lastIndexOf('row(')))
      .to.contain('label: task.label')
      .and.not.contain('task.priority');
    expect(views).to.contain('priority: task.priority').and.contain('tags: added.tags').and.not.contain('task.size');
  });
});
