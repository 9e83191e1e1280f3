import { expect } from 'chai';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryDirectory } from '../support/memory.ts';
import { repository } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';
import { hashes } from '../upgrades/fixture.ts';

interface Task {
  readonly id: string;
  readonly label: string;
  readonly status: string;
  readonly goal_id: string;
  readonly verified_at: string | null;
  readonly position: { readonly x: number; readonly y: number } | null;
}

interface Goal {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly verification_surface: string;
  readonly last_verification: { readonly green: boolean; readonly detail: string } | null;
}

interface Edge {
  readonly from_id: string;
  readonly to_id: string;
  readonly label: string;
}

describe("Planner's own plan", () => {
  const directory = mkdtempSync(join(memoryDirectory(), 'planner-own-plan-'));
  const original = join(repository, '.planner', 'projects');
  let service: TestService;
  let goals: readonly Goal[];
  let tasks: readonly Task[];
  let edges: readonly Edge[];
  let project: string;

  before(async () => {
    cpSync(original, join(directory, '.planner', 'projects'), { recursive: true });
    service = await TestService.start({ directory });
    const { body } = await service.rest.get('/projects');
    expect(body.problems ?? []).to.deep.equal([]);
    expect(body.projects).to.have.lengthOf(1);
    project = body.projects[0].id;
    const list = async (kind: string): Promise<never> =>
      (await service.rest.get(`/projects/${project}/${kind}?limit=1000`)).body[kind] as never;
    [goals, tasks, edges] = [await list('goals'), await list('tasks'), await list('edges')];
  });
  after(async () => {
    await service.stop();
    rmSync(directory, { recursive: true });
  });

  const named = (labels: readonly { label: string }[]): readonly string[] => labels.map(({ label }) => label);
  const tasksOf = (goal: Goal): readonly Task[] => tasks.filter(({ goal_id }) => goal_id === goal.id);

  it('has no file with a problem, and is not changed by reading it [A.documents]', async () => {
    expect((await service.rest.get(`/projects/${project}/problems`)).body.problems).to.deep.equal([]);
    await service.rest.get(`/projects/${project}/export`);
    await service.store.flush();
    expect(hashes(join(service.root, 'projects'))).to.deep.equal(hashes(original));
  });

  it('completes goals on the evidence of a commit, and leaves none done and unverified [A.documents]', () => {
    const complete = goals.filter(({ status }) => status === 'complete');
    expect(complete).not.to.have.lengthOf(0);
    for (const goal of complete) {
      expect(JSON.parse(goal.verification_surface), goal.name).to.deep.equal({
        kind: 'gate_command',
        command: 'npm cit',
      });
      expect(goal.last_verification?.green, goal.name).to.equal(true);
      expect(goal.last_verification!.detail, goal.name).to.match(/\d passed, 0 failed, .*at [0-9a-f]{8}$/);
      expect(named(tasksOf(goal).filter(({ status }) => status !== 'done')), goal.name).to.deep.equal([]);
    }
    const unverified = goals.filter(
      (goal) =>
        goal.status !== 'complete' &&
        tasksOf(goal).length > 0 &&
        tasksOf(goal).every(({ status }) => status === 'done'),
    );
    expect(unverified.map(({ name }) => name)).to.deep.equal([]);
    const kept = new Set(complete.map(({ id }) => id));
    expect(named(tasks.filter((task) => kept.has(task.goal_id) && task.verified_at === null))).to.deep.equal([]);
  });

  it('names the next task, in an order without contradictions', () => {
    expect(tasks.filter(({ status }) => status === 'todo')).not.to.have.lengthOf(0);
    const waits = new Map<string, string[]>();
    const statusOf = new Map(tasks.map(({ id, status }) => [id, status]));
    for (const { from_id, to_id, label } of edges) {
      if (label !== 'depends_on') continue;
      waits.set(from_id, [...(waits.get(from_id) ?? []), to_id]);
    }
    const early = tasks.filter(
      ({ id, status }) => status === 'done' && (waits.get(id) ?? []).some((before) => statusOf.get(before) !== 'done'),
    );
    expect(named(early), 'done before what they wait for').to.deep.equal([]);
  });

  it('has a canvas on which no task covers another', () => {
    const places = tasks.map(({ position }) => position && `${position.x},${position.y}`);
    expect(places).not.to.include(null);
    expect(new Set(places).size).to.equal(tasks.length);
  });
});
