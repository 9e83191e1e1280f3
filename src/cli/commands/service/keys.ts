import type { Command } from 'commander';
import { addPlanCommand, present, usageError } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { idAmong } from '../../call/find-record.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import type { Key, NewKey } from '../../call/key.ts';

interface CreateOptions extends ProjectOption {
  readonly agent?: boolean;
  readonly name?: string;
}

/** `keys`: manages the keys of a service, for owners only. */
export function addKeyCommands(deps: ProgramDeps, program: Command): void {
  const keys = program.command('keys').description('keys of owners and agents: list, create, revoke');
  addPlanCommand(
    deps,
    keys,
    {
      usage: 'list',
      isDefault: true,
      description: 'list the keys, without their secrets',
      examples: ['keys list', 'keys --json'],
    },
    async (_, __, out, { planner }) => {
      const result = await planner.call('list_keys', {});
      const list = result['keys'] as readonly Key[];
      out.print(result, list.length === 0 ? 'No keys.' : list.map(keyRow));
    },
  );
  addPlanCommand(
    deps,
    keys,
    {
      usage: 'create',
      description: 'create a key: an owner key, or with --agent a key for a single project; its secret is shown once',
      examples: ['keys create --name laptop', 'keys create --agent --project "Web shop" --name ci'],
      options: (command) =>
        projectOption(command)
          .option('--agent', 'an agent key, for one project')
          .option('--name <name>', 'its purpose; agents write under this name'),
    },
    async (_, options: CreateOptions, out, target) => {
      const { name, agent, project } = options;
      if (agent !== true && project !== undefined)
        throw usageError('--project', 'An owner key is valid for every project: use --project only with --agent.');
      const project_id = agent === true ? (await chooseProject(target, options)).id : undefined;
      const input = { kind: agent === true ? 'agent' : 'owner', ...present({ name, project_id }) };
      const result = await target.planner.call('create_key', input);
      const key = result['key'] as NewKey;
      out.print(result, key.secret);
      deps.notice(`Created ${key.id}. The secret is not shown again; planner keys revoke ${key.id} revokes the key.`);
    },
  );
  addPlanCommand(
    deps,
    keys,
    {
      usage: 'revoke <key>',
      isChange: true,
      description: 'revoke a key by its id or name: the next call with it is rejected',
      examples: ['keys revoke laptop', 'keys revoke key_4n0c2m8w'],
    },
    async ([key], _, out, { planner }) => {
      const listed = async (): Promise<readonly Key[]> => (await planner.call('list_keys', {}))['keys'] as Key[];
      const id = await idAmong(listed, { what: 'key', command: 'planner keys' }, key);
      await planner.call('revoke_key', { key_id: id });
      out.print({ revoked: id }, `${id} is revoked.`);
    },
  );
}

function keyRow({ id, kind, name, project_id: project, created_at: at }: Key): string {
  return `${id}  ${kind.padEnd(5)}  ${at}  ${name}${project === null ? '' : `  ${project}`}`;
}
