import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { ToolCalls } from '../../src/mcp/tool-calls.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import { effects, questionOf } from '../../src/operations/confirmations.ts';
import { Dispatcher } from '../../src/operations/pipeline/dispatch.ts';
import type { PlannerCollections } from '../../src/domain/records/collections.ts';
import { inlined } from '../../src/schema/inline.ts';
import { validator } from '../../src/schema/validators.ts';
import { schemaOf } from '../support/catalogue-calls.ts';
import { Random } from '../support/random.ts';
import { RandomInput } from '../support/random-input.ts';
import type { Pool } from '../support/random-input.ts';
import { repository } from '../support/server-process.ts';
import { planner } from './planner.ts';

const tools = catalogue.filter(({ mcp, effect }) => mcp !== undefined && effect !== 'read');
const roundsPerTool = 12;

describe('The table of confirmed changes', () => {
  const plan = planner();
  let calls: ToolCalls<PlannerCollections>;
  let project_id: string;

  beforeEach(async () => {
    const { store } = plan.it;
    const dispatcher = new Dispatcher<PlannerCollections>({ store, catalogue, validator, clock: systemClock });
    calls = new ToolCalls(dispatcher, inlined, () => undefined);
    project_id = await plan.it.project();
  });

  const context = {
    caller: { kind: 'owner', id: 'loopback', author: 'agent:test' },
    session: undefined,
    baseUrl: 'http://127.0.0.1',
    keep: () => Promise.resolve(),
  } as const;

  /** Calls a tool that must succeed, without a person. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async function run(name: string, input: object): Promise<any> {
    const outcome = await calls.call(name, { project_id, ...input }, {}, context);
    if (!('value' in outcome) || outcome.isError) throw new Error(`${name} answered ${JSON.stringify(outcome)}`);
    return outcome.value;
  }

  /** Calls a tool for a person who declines; returns the question. */
  async function decline(name: string, input: object): Promise<string | undefined> {
    let asked: string | undefined;
    const ask = async ({ text }: { readonly text: string }): Promise<{ value: object; isError: boolean }> => {
      asked = text;
      return { value: {}, isError: true };
    };
    await calls.call(name, { ...input }, {}, context, { confirmed: undefined, ask: ask as never });
    return asked;
  }

  /** Facts that no tool may change without a question: each entry is there, or it is missing. */
  async function protectedFacts(): Promise<string[]> {
    return plan.it.store.readAll((views) =>
      views.flatMap((view) => [
        ...[...view.list('task')].filter(({ status }) => status === 'scope').map(({ id }) => `${id} in scope`),
        ...[...view.list('goal')]
          .filter(({ verification_surface: surface }) => surface?.kind === 'human_sign_off')
          .map(({ id, status }) => `${id} not signed off: ${status !== 'complete'}`),
        ...[...view.edges()].map(({ link }) => link.id),
        ...(
          ['task', 'goal', 'document', 'folder', 'note', 'artifact', 'prototype', 'comment', 'file', 'tag'] as const
        ).flatMap((name) => [...view.list(name)].map(({ id }) => id)),
      ]),
    );
  }

  async function filled(): Promise<Pool> {
    const scope: string[] = [];
    for (const label of ['Dig', 'Sow', 'Water'])
      scope.push((await run('create_task', { label, status: 'scope' })).task.id as string);
    const goals: string[] = [];
    for (const name of ['Beds', 'Paths']) {
      const surface = { kind: 'human_sign_off' };
      const { goal } = await run('create_goal', { name, objective: `${name} exist.`, verification_surface: surface });
      goals.push(goal.id as string);
    }
    const [outer, inner] = [await run('create_folder', { name: 'A' }), await run('create_folder', { name: 'B' })];
    const documents: string[] = [];
    for (const [at, { folder }] of [outer, inner].entries())
      documents.push(
        (await run('create_document', { title: `D${at}`, body: '', folder_id: folder.id })).document.id as string,
      );
    const ends = { from_type: 'task', from_id: scope[0], to_type: 'task', to_id: scope[1] };
    const { edge } = await run('create_edge', ends);
    const { note } = await run('create_note', { title: 'N', body: '' });
    const { prototype } = await run('create_prototype', { name: 'P', viewport: { width: 10, height: 10 } });
    const screens: string[] = [];
    for (const title of ['S1', 'S2'])
      screens.push(
        (await run('create_artifact', { title, kind: 'html', content: '<p>', prototype_id: prototype.id })).artifact.id,
      );
    const folders = [outer.folder.id as string, inner.folder.id as string];
    return new Map<string, readonly string[]>([
      ['project_id', [project_id]],
      ...['task_id', 'task_ref', 'from_id', 'to_id', 'depends_on', 'linked_task_id'].map(
        (name) => [name, scope] as const,
      ),
      ['goal_id', goals],
      ['document_id', documents],
      ...['folder_id', 'parent_folder_id', 'reparent_to'].map((name) => [name, folders] as const),
      ['edge_id', [edge.id as string]],
      ['note_id', [note.id as string]],
      ['prototype_id', [prototype.id as string]],
      ['artifact_id', screens],
      ['target_id', [...scope, ...documents]],
      ['link_to', [...scope, ...documents]],
      ['verification_surface', ['{"kind":"gate_command","command":"true"}']],
    ]);
  }

  it('holds for every tool of the catalogue that changes something [D2.elicitation-effects]', async function () {
    this.timeout(60_000);
    const random = Random.announced('confirmations');
    const pool = await filled();
    const inputs = new RandomInput(random, pool);
    const before = await protectedFacts();
    for (const operation of tools) {
      // Nothing but a transaction on a project is reviewed.
      expect([operation.scope, operation.effect], operation.name).to.deep.equal(['project', operation.effect]);
      expect(operation.effect, operation.name).to.be.oneOf(['write', 'create', 'create_or_write']);
      const schema = schemaOf(operation);
      const ids = Object.keys(schema.properties ?? {}).filter((name) => pool.has(name));
      for (let round = 0; round < roundsPerTool; round++) {
        const input = inputs.members(
          schema,
          0.4,
          ids.filter((name) => name === 'project_id' || random.chance(0.8)),
        );
        await decline(operation.name, input);
        const after = new Set(await protectedFacts());
        const changed = before.filter((fact) => !after.has(fact));
        expect(changed, `${operation.name} ${JSON.stringify(input)}, seed ${random.seed}`).to.deep.equal([]);
      }
    }
  });

  it('has a question for each of its effects, by whatever tool [D2.elicitation-effects]', async () => {
    const pool = await filled();
    const [task_id, edge_id, folder_id] = ['task_id', 'edge_id', 'folder_id'].map((name) => pool.get(name)![0]!);
    const [goal_id, other] = pool.get('goal_id')!;
    const evidence = { kind: 'human_sign_off', approved_by: 'Ada' };
    const asked: [keyof typeof effects, string, object, RegExp][] = [
      ...['backlog', 'todo', 'in_progress', 'done'].map((status): (typeof asked)[number] => [
        ...(['released', 'update_task'] as const),
        { task_id, status },
        /^Release the task "Dig" from scope\?$/,
      ]),
      ['signed_off', 'complete_goal', { goal_id, evidence }, /^Sign off the goal "Beds" as "Ada"\? .+ "Beds exist\."$/],
      ...[null, { kind: 'gate_command', command: 'true' }].map((verification_surface): (typeof asked)[number] => [
        ...(['sign_off_replaced', 'update_goal'] as const),
        { goal_id: other, verification_surface },
        /^Let the goal "Paths" be completed (without evidence|on gate command), instead of by a person's sign-off\?$/,
      ]),
      ['removed', 'delete_folder', { folder_id }, /^Delete the folder "A"\? Its documents and folders are kept\.$/],
      ['removed', 'delete_edge', { edge_id }, /^Delete the edge "\w+"\? What it connects is kept\.$/],
    ];
    for (const [, name, input, question] of asked) expect(await decline(name, input), name).to.match(question);
    expect(new Set(asked.map(([effect]) => effect))).to.deep.equal(new Set(Object.keys(effects)));
    const documented = readFileSync(join(repository, 'docs/reference/agents.md'), 'utf8');
    for (const [, name, , { source }] of asked)
      expect(documented, name).to.include(/^\^([\w ]+ the \w+)/.exec(source)![1]);
    // A goal without a surface is signed off, too, if a person is named.
    const { goal } = await run('create_goal', { objective: 'Rest.' });
    expect(await decline('complete_goal', { goal_id: goal.id, evidence })).to.match(/^Sign off the goal as "Ada"\?/);
    expect(await decline('complete_goal', { goal_id: goal.id })).to.equal(undefined);
  });

  it('is about a remediation task in scope, too [D2.elicitation-effects]', async () => {
    const surface = { kind: 'gate_command', command: 'true' };
    const { goal } = await run('create_goal', { name: 'Gate', objective: 'Green.', verification_surface: surface });
    const red = { kind: 'gate_command', exit_code: 1 };
    await run('complete_goal', { goal_id: goal.id, evidence: red });
    const green = { ...red, exit_code: 0 };
    expect(await decline('complete_goal', { goal_id: goal.id, evidence: green })).to.match(/^Release the task "Make /);
  });

  it('quotes texts, escaped and cut to a line; several questions are one, and more are counted [D2.elicitation-texts]', () => {
    const record = { created_at: '', updated_at: '' };
    const task = (at: number, label: string): Parameters<typeof questionOf>[0][number] => {
      const from = { ...record, id: `tsk_${at}`, label, status: 'scope' };
      const to = { ...from, status: 'todo' };
      return { collection: 'task', id: from.id, from, to };
    };
    const text = (label: string): string => questionOf([task(1, label)])!.text;
    expect(text('a"?\u009b31m\u202eb')).to.equal('Release the task "a\\"?\\u009b31m\\u202eb" from scope?');
    expect(text('one\nDelete all?')).to.equal('Release the task "one…" from scope?');
    expect(text('🌱'.repeat(500))).to.equal(`Release the task "${'🌱'.repeat(200)}…" from scope?`);
    const many = questionOf(Array.from({ length: 8 }, (_, at) => task(at, `T${at}`)))!;
    expect(many.text.split('\n')).to.have.length(6);
    expect(many.text.split('\n').at(-1)).to.equal('And 3 more of these?');
    const others = questionOf(Array.from({ length: 8 }, (_, at) => task(at === 7 ? 9 : at, `T${at}`)))!;
    expect(others.text).to.equal(many.text);
    expect(others.tag).not.to.equal(many.tag);
  });
});
