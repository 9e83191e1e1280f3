import { expect } from 'chai';
import { budgetOf, usedUp } from '../../src/cli/runner/budget.ts';
import type { Spending } from '../../src/cli/runner/budget.ts';

describe('The budget of a goal', () => {
  const at = (minutes: number): string => new Date(minutes * 60_000).toISOString();
  const line = (minutes: number, author?: string): Spending['events'][number] => ({
    ...{ id: `e${minutes}`, message: 'Line', created_at: at(minutes) },
    ...(author === undefined ? {} : { author }),
  });
  const run = (fields: Partial<Spending>): Spending => ({
    ...{ task_id: 'a', status: 'completed', started_at: at(0), events: [], awaiting: null, tokens: null },
    ...{ cost_usd: null, ...fields },
  });

  it('has limits in parts of their form; other parts are text [A.run.budget]', () => {
    expect(budgetOf('30 tasks, 4 h, 2M tokens, 20 USD')).to.deep.equal({ tasks: 30, hours: 4, tokens: 2e6, usd: 20 });
    expect(budgetOf('1 Task; 90min\n500k tokens,$ 2.50')).to.deep.equal({
      ...{ tasks: 1, hours: 1.5, tokens: 5e5, usd: 2.5 },
    });
    expect(budgetOf('20 USD, and no more')).to.deep.equal({ usd: 20 });
    for (const text of [null, '', 'little', 'about 3 tasks', '3 tasks a day', '-1 h', '1e9 tokens'])
      expect(budgetOf(text), String(text)).to.deep.equal({});
  });

  it('is used up by tasks, tokens and dollars of all runs, each task once [A.run.budget]', () => {
    const runs = [
      run({ tokens: 600, cost_usd: 0.25 }),
      run({ tokens: 500, cost_usd: 0.5 }),
      run({ task_id: 'b', status: 'failed' }),
    ];
    expect(usedUp({}, runs, 0)).to.equal(undefined);
    expect(usedUp({ tasks: 3, tokens: 1_101, usd: 0.76 }, runs, 0)).to.equal(undefined);
    expect(usedUp({ tasks: 2 }, runs, 0)).to.equal('budget is used up: 2 of 2 tasks were begun');
    expect(usedUp({ tokens: 1_100 }, runs, 0)).to.equal('budget is used up: 1100 of 1100 tokens');
    expect(usedUp({ usd: 0.75 }, runs, 0)).to.equal('budget is used up: 0.75 of 0.75 USD');
  });

  it('counts the time at work, and not the waiting for a person or for the end of a dead runner [A.run.budget]', () => {
    const says = (one: Partial<Spending>, now: number): string | undefined =>
      usedUp({ hours: 1 }, [run(one)], now * 60_000);
    expect(says({ events: [line(59)] }, 9_999), 'closed later').to.equal(undefined);
    expect(says({ events: [line(60)] }, 9_999)).to.equal('budget is used up: 1 of 1 h at work');
    expect(says({ events: [line(20), line(500, 'ada'), line(539)] }, 9_999)).to.equal(undefined);
    const running = { status: 'running', events: [line(20)] } as const;
    expect(says(running, 59)).to.equal(undefined);
    expect(says(running, 60)).to.include('1 of 1 h');
    const awaiting = { question: 'Which?', asked_at: at(30) };
    expect(says({ ...running, awaiting }, 9_999)).to.equal(undefined);
  });
});
