import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { delay, systemClock } from '../../../base/clock.ts';
import { hostDefault, parsePort } from '../../../base/config.ts';
import { PlannerError } from '../../../base/errors.ts';
import { randomToken } from '../../../base/ids.ts';
import { accessOf } from '../../service/access.ts';
import { addCommand } from '../../call/command-line.ts';
import type { CommonOptions } from '../../call/command-line.ts';
import { makePlannerRoot } from '../../call/make-root.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { RemotePlanner } from '../../service/remote-planner.ts';
import { workInSample } from '../../records/sample-agent.ts';
import { openService, serve } from '../../service/serve.ts';
import { watcherOf } from '../../service/watch-changes.ts';
import { ServiceClient } from '../../service/service-client.ts';

/** Between two steps of the agent, so that a person can follow. */
const stepMs = 3000;

/** `demo`: serves a sample plan from a temporary directory, with an agent that works in it. */
export function addDemoCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'demo',
      isChange: true,
      description:
        'serve a sample plan to try everything in, with an agent that works in it; it is gone when you stop it',
      examples: ['demo', 'demo --port 4748'],
      options: (command) =>
        command
          .option('--port <number>', 'the port to listen on (default: a free one)')
          .option('--still', 'without the agent'),
    },
    async (
      _,
      { port, still = false, quiet }: CommonOptions & { readonly port?: string; readonly still?: boolean },
      out,
    ) => {
      const { disk, start, log, events } = deps;
      const directory = join(tmpdir(), `planner-demo-${randomToken(16)}`);
      const root = join(directory, '.planner');
      let isOver = false;
      try {
        makePlannerRoot(deps, root);
        const host = hostDefault;
        const access = accessOf(deps.environment().access, { host });
        const options = { root, host, port: port === undefined ? 0 : parsePort(port, '--port'), access, quiet: true };
        await serve({
          ...{ log, events, hosted: access.hosted, watch: await watcherOf(deps, { quiet: quiet === true }) },
          open: async () => {
            const service = await openService({ start, disk }, options);
            const owner = plannerAt(service.url, service.authorization);
            const project_id = idIn((await owner.call('create_sample_project', {}))['project']);
            const pause = async (): Promise<void> => {
              await delay(systemClock, stepMs);
              if (isOver) throw new PlannerError('unavailable', 'The demo is over.');
            };
            if (!still)
              void workAsAgent(owner, service.url, project_id, pause).catch((error: unknown) => {
                // A person may delete the plan that the agent works on.
                if (!isOver) log({ level: 'info', message: 'the agent of the sample ended', text: String(error) });
              });
            return service;
          },
          ready: (url) =>
            out.printLive({ url, pid: process.pid }, [
              `A sample plan is at ${url}`,
              ...(still ? [] : ['An agent works in it: watch the board, or Agents.']),
              'Ctrl-C ends it and removes the plan.',
            ]),
        });
      } finally {
        isOver = true;
        disk.removeTree(directory);
      }
    },
  );
}

function plannerAt(url: string, authorization: string | undefined): RemotePlanner {
  return new RemotePlanner(new ServiceClient({ url, authorization }));
}

function idIn(record: unknown): string {
  return (record as { readonly id: string }).id;
}

/** With a key of its own, as any agent. */
async function workAsAgent(
  owner: RemotePlanner,
  url: string,
  project_id: string,
  pause: () => Promise<void>,
): Promise<void> {
  const { key } = await owner.call('create_key', { kind: 'agent', name: 'demo', project_id });
  const { secret } = key as { readonly secret: string };
  await workInSample(plannerAt(url, `Bearer ${secret}`), project_id, pause);
}
