import { expect } from 'chai';
import { catalogue } from '../../src/operations/catalogue.ts';
import type { Finished } from '../support/command.ts';
import { runOthersProgram } from '../support/others-program.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';

const inspector = '@modelcontextprotocol/inspector/clients/cli/build/index.js';

/** Exit codes of the Inspector: for a result with `isError`, and for a rejected credential. */
const [toolErrorCode, refusedKeyCode] = [5, 3];

describe("the MCP Inspector's command line", function () {
  this.timeout(60_000);
  // Its home directory: it stores what it learns of services there.
  const scratch = scratchDirectory();
  let service: TestService;

  before(async () => {
    service = await TestService.start();
  });

  after(() => service.stop());

  const run = (argv: readonly string[], key?: string): Promise<Finished> =>
    runOthersProgram(
      inspector,
      [
        ...[`${service.url}/mcp`, '--transport', 'http', '--stored-auth-only', ...argv],
        ...(key === undefined ? [] : ['--header', `Authorization: Bearer ${key}`]),
      ],
      { HOME: scratch.path, USERPROFILE: scratch.path },
    );

  interface Inspected {
    readonly key?: string;
    readonly exitCode?: number;
  }

  /** What the Inspector prints of a response. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async function inspect(argv: readonly string[], { key, exitCode = 0 }: Inspected = {}): Promise<any> {
    const { code, output, errors } = await run(argv, key);
    expect(code, output + errors).to.equal(exitCode);
    return JSON.parse(output);
  }

  it('lists the tools [A.inspector]', async () => {
    const { tools } = (await inspect(['--method', 'tools/list'])) as { tools: { name: string }[] };
    const names = tools.map(({ name }) => name);
    expect(names).to.deep.equal(catalogue.flatMap(({ name, mcp }) => (mcp === undefined ? [] : [name])));
  });

  it('calls tools, and shows their errors [A.inspector]', async () => {
    const calling = (name: string, ...args: string[]): readonly string[] => [
      ...['--method', 'tools/call', '--tool-name', name],
      ...args.flatMap((arg) => ['--tool-arg', arg]),
    ];
    const call = (name: string, ...args: string[]): Promise<{ structuredContent: never }> =>
      inspect(calling(name, ...args));
    const { project } = (await call('create_project', 'name=Inspected')).structuredContent as {
      project: { id: string };
    };
    const { task } = (await call('create_task', `project_id=${project.id}`, 'label=First')).structuredContent as {
      task: { id: string };
    };
    expect((await service.rest.get(`/tasks/${task.id}`)).body.label).to.equal('First');
    const refused = await inspect(calling('get_task', 'task_id=tsk_none'), { exitCode: toolErrorCode });
    expect(refused.isError).to.equal(true);
    expect(refused.structuredContent).to.include({ error: 'not_found' });
  });

  it('lists and calls tools with a bearer key, and is rejected once the key is revoked [A.inspector, S.conformance.2]', async () => {
    const project_id = await service.project('Bound');
    await service.project('Another');
    const { body: key } = await service.rest.post('/keys', { kind: 'agent', project_id });
    const { tools } = (await inspect(['--method', 'tools/list'], { key: key.secret })) as { tools: object[] };
    expect(tools.length).to.be.at.least(8);
    const callArguments = ['--method', 'tools/call', '--tool-name', 'list_projects'];
    const { structuredContent } = (await inspect(callArguments, { key: key.secret })) as {
      structuredContent: { projects: { id: string }[] };
    };
    expect(structuredContent.projects.map(({ id }) => id)).to.deep.equal([project_id]);
    await service.rest.delete(`/keys/${key.id}`);
    const { code, output, errors } = await run(callArguments, key.secret);
    expect(code, output).to.equal(refusedKeyCode);
    expect(errors).to.match(/401|unauthorized/i);
  });
});
