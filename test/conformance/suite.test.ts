import { expect } from 'chai';
import { runOthersProgram } from '../support/others-program.ts';
import { TestService } from '../support/service.ts';
import { baseline, passing } from './baseline.ts';
import { renamingProxy } from './renaming-proxy.ts';

const suite = '@modelcontextprotocol/conformance/dist/index.js';

/** Whether each scenario passed, by name, from the summary of a run. */
function resultsOf(output: string): Map<string, boolean> {
  const rows = output.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gm);
  return new Map([...rows].map(([, sign, name]) => [name!, sign === '✓']));
}

describe('the official conformance suite', function () {
  this.timeout(120_000);
  let service: TestService;

  before(async () => {
    service = await TestService.start();
  });

  after(() => service.stop());

  it('passes every scenario for a tools server, and fails only those with a reason in the baseline [A.conformance]', async () => {
    const { output, errors } = await runOthersProgram(suite, ['server', '--url', `${service.url}/mcp`]);
    const results = resultsOf(output);
    expect(results.size, errors).to.be.above(20);
    const passed = [...results].filter(([, ok]) => ok).map(([name]) => name);
    const failed = [...results].filter(([, ok]) => !ok).map(([name]) => name);
    expect(passed).to.have.members(passing);
    expect(failed).to.have.members(Object.keys(baseline));
  });

  for (const scenario of ['tools-call-simple-text', 'tools-call-error']) {
    it(`passes ${scenario}, if our tools have the names that it calls [A.conformance]`, async () => {
      const proxy = await renamingProxy(service.url, {
        test_simple_text: { name: 'list_projects', input: {} },
        test_error_handling: { name: 'get_task', input: { task_id: 'tsk_none' } },
      });
      try {
        const argv = ['server', '--url', `${proxy.url}/mcp`, '--scenario', scenario];
        const { code, output, errors } = await runOthersProgram(suite, argv);
        expect(code, output + errors).to.equal(0);
        expect(output).to.match(/Passed: 1\/1|1 passed, 0 failed/);
      } finally {
        await proxy.close();
      }
    });
  }
});
