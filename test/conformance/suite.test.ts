import { expect } from 'chai';
import { runOthersProgram } from '../support/others-program.ts';
import { TestService } from '../support/service.ts';
import { baselines, extensionScenarios, failingChecks, renamedScenarios } from './baseline.ts';
import { renamingProxy } from './renaming-proxy.ts';

const suite = '@modelcontextprotocol/conformance/dist/index.js';

/** Whether each scenario passed, by name, from the summary of a run. */
function resultsOf(output: string): Map<string, boolean> {
  const rows = output.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gm);
  return new Map([...rows].map(([, sign, name]) => [name!, sign === '✓']));
}

describe('the official conformance suite', function () {
  this.timeout(180_000);
  let service: TestService;

  before(async () => {
    service = await TestService.start();
  });

  after(() => service.stop());

  for (const [revision, { passing, failing }] of Object.entries(baselines)) {
    it(`passes every scenario of ${revision} that applies, and fails only those with a reason in the baseline [A.conformance]`, async () => {
      const argv = ['server', '--url', `${service.url}/mcp`, '--requirements', revision];
      const { output, errors } = await runOthersProgram(suite, argv);
      const results = resultsOf(output);
      expect(results.size, errors).to.be.above(20);
      const passed = [...results].filter(([, ok]) => ok).map(([name]) => name);
      const failed = [...results].filter(([, ok]) => !ok).map(([name]) => name);
      expect(passed).to.have.members(passing);
      expect(failed).to.have.members(Object.keys(failing));
    });

    for (const scenario of renamedScenarios[revision as keyof typeof baselines]) {
      it(`passes ${scenario} of ${revision} if ours have the names that it uses [A.conformance]`, async () => {
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
          const of = ['--scenario', scenario, '--spec-version', revision];
          const argv = ['server', '--url', `${proxy.url}/mcp`, ...of];
          const { code, output, errors } = await runOthersProgram(suite, argv);
          expect(code, output + errors).to.equal(0);
          expect(output).to.match(/, 0 failed/);
        } finally {
          await proxy.close();
        }
      });
    }
  }

  for (const scenario of extensionScenarios)
    it(`passes ${scenario} of an extension [A.conformance] [D2.skills]`, async () => {
      const argv = ['server', '--url', `${service.url}/mcp`, '--scenario', scenario];
      const { code, output, errors } = await runOthersProgram(suite, argv);
      expect(code, output + errors).to.equal(0);
      expect(output).to.match(/, 0 failed/);
    });

  for (const [scenario, checks] of Object.entries(failingChecks)) {
    it(`passes every check of ${scenario}, except those that ask for a tool of the suite [A.conformance]`, async () => {
      const argv = ['server', '--url', `${service.url}/mcp`, '--spec-version', '2026-07-28', '--scenario', scenario];
      const { output } = await runOthersProgram(suite, argv);
      const failed = [...output.matchAll(/^ {2}- (\w+): .*\n\s+Error: (.*)$/gm)];
      expect(failed.map(([, name]) => name)).to.have.members(checks);
      for (const [, name, reason] of failed) expect(reason, name).to.include('Not testable: server does not list the');
    });
  }
});
