import type { Command } from 'commander';
import type { Webhook, WebhookDelivery } from '../../../schema/types.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { addPlanCommand, present } from '../../call/command-line.ts';
import { idAmong } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';

interface CreateOptions extends ProjectOption {
  readonly types?: string;
}

/** `webhooks`: sends the events of a project to URLs. */
export function addWebhookCommands(deps: ProgramDeps, program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('send the events of a project to URLs: list, create, pause, resume, delete, deliveries, redeliver');
  addListing(deps, webhooks);
  addCreate(deps, webhooks);
  addChange(deps, webhooks, 'pause', 'pause a webhook; its events wait', 'is paused');
  addChange(deps, webhooks, 'resume', 'resume a webhook that is paused, or retry at once', 'is active');
  addChange(deps, webhooks, 'delete', 'delete a webhook with its deliveries', 'is deleted');
  addDeliveries(deps, webhooks);
}

function addListing(deps: ProgramDeps, webhooks: Command): void {
  addPlanCommand(
    deps,
    webhooks,
    {
      usage: 'list',
      isDefault: true,
      description: 'list the webhooks of a project, without their secrets',
      examples: ['webhooks list', 'webhooks list --project "Web shop" --json'],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => {
      const list = await webhooksOf(target, options);
      out.print({ webhooks: list }, list.length === 0 ? 'No webhooks.' : list.map(webhookRow));
    },
  );
}

function addCreate(deps: ProgramDeps, webhooks: Command): void {
  addPlanCommand(
    deps,
    webhooks,
    {
      usage: 'create <url>',
      description: 'send events from now on to an https URL; the secret of the signatures is shown once',
      examples: ['webhooks create https://hooks.example.org/planner --types task.done,comment'],
      options: (command) =>
        projectOption(command).option('--types <types>', 'only these types of events, separated by commas'),
    },
    async ([url], options: CreateOptions, out, target) => {
      const { id: project_id } = await chooseProject(target, options);
      const types = options.types?.split(',').map((type) => type.trim());
      const result = await target.planner.call('create_webhook', { project_id, url, ...present({ types }) });
      const { id, secret } = result['webhook'] as { readonly id: string; readonly secret: string };
      out.print(result, secret);
      deps.notice(`Created ${id}. The secret is not shown again; planner webhooks delete ${id} ends it.`);
    },
  );
}

function addChange(
  deps: ProgramDeps,
  webhooks: Command,
  name: 'pause' | 'resume' | 'delete',
  description: string,
  outcome: string,
): void {
  addPlanCommand(
    deps,
    webhooks,
    {
      usage: `${name} <webhook>`,
      isChange: true,
      description,
      examples: [`webhooks ${name} whk_4n0c2m8w`],
      options: projectOption,
    },
    async ([text], options: ProjectOption, out, target) => {
      const id = await webhookNamed(target, options, text);
      const result = await target.planner.call(`${name}_webhook`, { webhook_id: id });
      out.print(name === 'delete' ? { deleted: id } : result, `${id} ${outcome}.`);
    },
  );
}

function addDeliveries(deps: ProgramDeps, webhooks: Command): void {
  addPlanCommand(
    deps,
    webhooks,
    {
      usage: 'deliveries <webhook>',
      description: 'list the last deliveries of a webhook, with the answers of the receiver',
      examples: ['webhooks deliveries whk_4n0c2m8w'],
      options: projectOption,
    },
    async ([text], options: ProjectOption, out, target) => {
      const id = await webhookNamed(target, options, text);
      const list = await deliveriesOf(target, id);
      out.print({ deliveries: list }, list.length === 0 ? 'No deliveries.' : list.map(deliveryRow));
    },
  );
  addPlanCommand(
    deps,
    webhooks,
    {
      usage: 'redeliver <webhook> <delivery>',
      isChange: true,
      description: 'deliver the event of a delivery once more; a running service does so at once',
      examples: ['webhooks redeliver whk_4n0c2m8w dlv_7t1k9s3e'],
      options: projectOption,
    },
    async ([text, delivery], options: ProjectOption, out, target) => {
      const id = await webhookNamed(target, options, text);
      const delivery_id = await idAmong(
        () => deliveriesOf(target, id),
        { what: 'delivery', command: 'planner webhooks deliveries' },
        delivery,
      );
      const result = await target.planner.call('redeliver_webhook', { webhook_id: id, delivery_id });
      out.print(result, `${delivery_id} is delivered once more.`);
    },
  );
}

async function webhooksOf(target: CliTarget, options: ProjectOption): Promise<readonly Webhook[]> {
  const { id } = await chooseProject(target, options);
  return (await target.planner.call('list_webhooks', { project_id: id }))['webhooks'] as readonly Webhook[];
}

function webhookNamed(target: CliTarget, options: ProjectOption, text: string): Promise<string> {
  return idAmong(() => webhooksOf(target, options), { what: 'webhook', command: 'planner webhooks' }, text);
}

async function deliveriesOf(target: CliTarget, id: string): Promise<readonly WebhookDelivery[]> {
  const result = await target.planner.call('list_webhook_deliveries', { webhook_id: id });
  return result['deliveries'] as readonly WebhookDelivery[];
}

function webhookRow({ id, url, types, state, paused, failures }: Webhook): string {
  const why = paused === null ? (failures === 0 ? '' : `  ${failures} failures`) : `  ${paused.reason}`;
  return `${id}  ${state.padEnd(8)}  ${url}  ${types.length === 0 ? 'all' : types.join(',')}${why}`;
}

function deliveryRow({ id, type, created_at: at, attempt, status, error, duration_ms: ms }: WebhookDelivery): string {
  return `${id}  ${at}  ${String(status ?? 'failed').padEnd(6)}  ${ms} ms  attempt ${attempt}  ${type}${error === null ? '' : `  ${error}`}`;
}
