import { expect } from 'chai';
import { overBoth } from '../support/both.ts';
import { TestService } from '../support/service.ts';

describe('The current goal', () => {
  overBoth(
    'is chosen by invoke_goal, which returns the first task [S.mcp.invoke_goal, D4.invoke]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { id: goal_id } = await transport.call('create_goal', { project_id, name: 'Ship', objective: 'Ship it' });
      await transport.call('create_task', { project_id, label: 'In general' });
      await transport.call('create_task', { project_id, label: 'Build', goal_id });
      const answer = await transport.call('invoke_goal', { goal_id });
      expect(answer).to.include({ ok: true });
      expect(answer.goal).to.include({ id: goal_id, name: 'Ship' });
      expect(answer.first_task).to.include({ label: 'Build', status: 'todo' });
      expect(answer.warnings).to.deep.equal([]);
      expect((await transport.call('get_next_task', { project_id })).next_task.label).to.equal('Build');
    },
  );

  overBoth(
    'is chosen by set_current_goal, among active ones [S.mcp.set_current_goal, D4.set-current]',
    async (transport) => {
      const project_id = await transport.service.project();
      const goal = await transport.call('create_goal', { project_id, objective: 'Ship it' });
      await transport.call('create_task', { project_id, label: 'Build', goal_id: goal.id });
      const answer = await transport.call('set_current_goal', { project_id, goal_id: goal.id });
      expect(answer).to.include({ project_id, current_goal_id: goal.id });
      expect(answer.goal.id).to.equal(goal.id);
      expect((await transport.call('get_next_task', { project_id })).next_task.label).to.equal('Build');
      await transport.call('pause_goal', { goal_id: goal.id });
      expect(await transport.refusal('set_current_goal', { project_id, goal_id: goal.id })).to.include({
        error: 'conflict',
        reason: 'not_active',
      });
    },
  );

  overBoth('is rejected by invoke_goal with ok false and a reason [D4.invoke-refused]', async (transport) => {
    const project_id = await transport.service.project();
    const { id: goal_id } = await transport.call('create_goal', { project_id, objective: 'Ship it' });
    expect(await transport.refusal('invoke_goal', { goal_id })).to.include({
      ok: false,
      error: 'conflict',
      reason: 'no_todo_tasks',
    });
    const { id } = await transport.call('create_task', { project_id, label: 'Build', goal_id, status: 'scope' });
    expect((await transport.refusal('invoke_goal', { goal_id }))['scope_awaiting_release']).to.deep.equal([
      { id, label: 'Build' },
    ]);
    await transport.call('pause_goal', { goal_id });
    expect(await transport.refusal('invoke_goal', { goal_id })).to.include({ ok: false, reason: 'not_active' });
  });

  it('is separate for each session, and survives a restart of the service [D4.current, D4.current-restart]', async () => {
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const [one, two] = [await service.mcp(), await service.mcp()];
      const goals: string[] = [];
      for (const [agent, name] of [
        [one, 'One'],
        [two, 'Two'],
      ] as const) {
        const { goal } = await agent.get('create_goal', { project_id, name, objective: name });
        await agent.get('create_task', { project_id, label: name, goal_id: goal.id });
        await agent.get('set_current_goal', { goal_id: goal.id });
        goals.push(goal.id as string);
      }
      expect((await one.get('get_next_task', { project_id })).next.next_task.label).to.equal('One');
      expect((await two.get('get_next_task', { project_id })).next.next_task.label).to.equal('Two');
      expect((await service.rest.get(`/projects/${project_id}/next-task`)).body.reason).to.equal(
        'multiple_active_goals',
      );
      const session = one.session ?? '';
      await service.restart();
      const again = await service.mcp({ session });
      expect((await again.get('get_next_task', { project_id })).next.next_task.label).to.equal('One');
    } finally {
      await service.stop();
    }
  });
});
