import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOthersProgram } from '../support/others-program.ts';
import { rarely } from '../support/rarely.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { baselines, extensionScenarios, failingChecks, renamedScenarios } from './baseline.ts';
import { renamingProxy } from './renaming-proxy.ts';

const suite = '@modelcontextprotocol/conformance/dist/index.js';

/** The results of the scenarios from the summary of a run, by name: true if passed. */
function resultsOf(output: string): Map<string, boolean> {
  const rows = output.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gm);
  return new Map([...rows].map(([, sign, name]) => [name!, sign === '✓']));
}

/** The checks of a scenario, from the directory of the results of a run. */
function checksOf(results: string, scenario: string): readonly Check[] {
  const [path] = globSync(join(results, `server-${scenario}-2*`, 'checks.json'));
  return JSON.parse(readFileSync(path!, 'utf8')) as readonly Check[];
}

describe('the official conformance suite', function () {
  this.timeout(180_000);
  let service: TestService;
  const scratch = scratchDirectory();

  before(async () => {
    service = await TestService.start();
  });

  after(() => service.stop());

  /** Runs the suite against a service; `of` chooses its scenarios. */
  const run = async (url: string, ...of: readonly string[]): Promise<Run> => {
    const results = join(scratch.path, 'results');
    const argv = ['server', '--url', `${url}/mcp`, ...of, '--output-dir', results];
    const { code, output, errors } = await runOthersProgram(suite, argv);
    return { code, printed: output + errors, passed: resultsOf(output), checks: (name) => checksOf(results, name) };
  };

  for (const [revision, { passing, failing }] of Object.entries(baselines)) {
    it(`passes every scenario of ${revision} that applies, and fails only those with a reason in the baseline [A.conformance]`, async () => {
      const { passed, printed, checks } = await run(service.url, '--requirements', revision);
      expect(passed.size, printed).to.be.above(20);
      const named = (ok: boolean): string[] => [...passed].filter(([, is]) => is === ok).map(([name]) => name);
      expect(named(true)).to.have.members(passing);
      expect(named(false)).to.have.members(Object.keys(failing));
      for (const [scenario, names] of Object.entries(failingChecks)) {
        if (!passed.has(scenario)) continue;
        const failed = checks(scenario).filter(({ status }) => status === 'FAILURE');
        expect(failed.map(({ name }) => name)).to.have.members(names);
        for (const { name, errorMessage } of failed)
          expect(errorMessage, name).to.include('Not testable: server does not list the');
      }
    });

    rarely(
      `passes the scenarios of ${revision} that name missing things, if ours have the names [A.conformance]`,
      async () => {
        const project = await service.project();
        const create = { label: 'Grow', status: 'scope' };
        const { body: task } = await service.rest.post(`/projects/${project}/tasks`, create);
        const proxy = await renamingProxy(service.url, {
          tools: {
            test_simple_text: { name: 'list_projects', input: {} },
            test_error_handling: { name: 'get_task', input: { task_id: 'tsk_none' } },
            test_elicitation: { name: 'update_task', input: { task_id: task.id, status: 'todo' } },
          },
          prompts: {
            test_simple_prompt: { name: 'standup', input: {} },
            test_prompt_with_arguments: { name: 'next', input: { goal: '$arg1', project: '$arg2' } },
            test_prompt_with_embedded_resource: { name: 'standup', input: { project } },
          },
          uris: {
            'test://static-text': `planner://${project}/overview`,
            'test://watched-resource': `planner://${project}/next`,
          },
        });
        try {
          const { passed, printed } = await run(proxy.url, '--requirements', revision);
          for (const scenario of renamedScenarios[revision as keyof typeof baselines])
            expect(passed.get(scenario), scenario + printed).to.equal(true);
        } finally {
          await proxy.close();
        }
      },
    );
  }

  for (const scenario of extensionScenarios)
    it(`passes ${scenario} of an extension [A.conformance] [D2.skills]`, async () => {
      const { code, printed } = await run(service.url, '--scenario', scenario);
      expect(code, printed).to.equal(0);
      expect(printed).to.match(/, 0 failed/);
    });
});

interface Run {
  readonly code: number | null;
  /** Its output and its error output. */
  readonly printed: string;
  /** True for each scenario that passed, by name. */
  readonly passed: ReadonlyMap<string, boolean>;
  /** The checks of a scenario. */
  readonly checks: (scenario: string) => readonly Check[];
}

interface Check {
  readonly name: string;
  readonly status: string;
  readonly errorMessage?: string;
}
