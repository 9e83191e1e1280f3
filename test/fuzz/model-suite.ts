import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { type ServerProcess, startService } from '../support/server-process.ts';
import { McpTransport, RestTransport } from './transports.ts';
import { Model } from './model.ts';
import { Steps } from './steps.ts';

const stepsPerRound = 120;

/** The ways in which a service ends between two rounds. */
const ends = {
  'a clean stop': async (service: ServerProcess): Promise<void> => expectClean(await service.stop()),
  'kill -9': (service: ServerProcess): Promise<void> => service.kill(),
  'a clean stop and the loss of local/': async (service: ServerProcess, root: string): Promise<void> => {
    expectClean(await service.stop());
    rmSync(join(root, '.planner', 'local'), { recursive: true });
  },
};

/** So many rounds, with a reopening after each. */
export function describeModel(rounds: number): void {
  describe('random operations against a plain model', () => {
    const scratch = scratchDirectory();

    it('returns the same results over REST, over MCP and after every reopening [S.rule.3, A.crash.model]', async function () {
      this.timeout(rounds * 30_000 + 30_000);
      const random = Random.announced('model');
      const model = new Model();
      const steps = new Steps(random, model);
      let service = await startService(scratch.path);
      try {
        const { id: project } = (await new RestClient(service.url).post('/projects', { name: 'Fuzz' })).body as {
          id: string;
        };
        for (let round = 1; round <= rounds; round++) {
          const rest = new RestTransport(service.url, project);
          const mcp = await McpTransport.open(service.url, project);
          for (let step = 0; step < stepsPerRound; step++) await steps.step([rest, mcp], rest);
          await expectSame(model, [rest, mcp], `round ${round}`);
          await mcp.close();
          const end = random.pick(Object.keys(ends) as (keyof typeof ends)[]);
          await ends[end](service, scratch.path);
          service = await startService(scratch.path);
          const again = await McpTransport.open(service.url, project);
          await expectSame(model, [new RestTransport(service.url, project), again], `round ${round} after ${end}`);
          await again.close();
        }
        expectClean(await service.stop());
      } finally {
        await service.kill();
      }
    });
  });
}

async function expectSame(
  model: Model,
  transports: readonly [RestTransport, McpTransport],
  when: string,
): Promise<void> {
  const expected = model.shown();
  for (const transport of transports) {
    const shown = await transport.shown([...model.documents.keys()]);
    for (const part of ['tasks', 'edges', 'documents'] as const)
      expect(shown[part], `${part} over ${transport.name}, ${when}`).to.deep.equal(expected[part]);
  }
}

function expectClean(code: number | null): void {
  expect(code, 'the exit code after SIGTERM').to.equal(0);
}
