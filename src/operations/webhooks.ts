import { requireEventTypes } from '../domain/feed/event-types.ts';
import type {
  CreateWebhookInput,
  ListWebhookDeliveriesInput,
  ListWebhooksInput,
  NewWebhookAnswer,
  PlannerCollections,
  PlanReadTransaction,
  RedeliverWebhookInput,
  WebhookAnswer,
  WebhookDeliveryListAnswer,
  WebhookInput,
  WebhookListAnswer,
} from '../domain/records/collections.ts';
import { webhookUrl } from '../domain/feed/webhook-addresses.ts';
import {
  createWebhook,
  deleteWebhook,
  deliveriesOf,
  pauseWebhook,
  redeliver,
  resumeWebhook,
  showDelivery,
  showWebhook,
  webhookCollection,
  webhookOf,
  webhooksOf,
} from '../domain/feed/webhooks.ts';
import type { WebhookRecord } from '../domain/feed/webhooks.ts';
import type { Tx } from '../store/index.ts';
import type { Tag } from './declaration/operation.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { groups } from './groups.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { servicePage } from './pipeline/service-list.ts';

const accepted = 202;
/** How a call that names a webhook finds its project. */
const byWebhook = { member: 'webhook_id', resource: 'webhook', service: webhookCollection.name } as const;
const path = '/webhooks/:webhook_id';

const create: Write<CreateWebhookInput, NewWebhookAnswer> = {
  name: 'create_webhook',
  summary: 'Send the events of a project to a URL; only this response contains the secret of the signatures',
  group: groups.webhooks,
  input: 'CreateWebhookInput',
  output: 'NewWebhookAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  secret: true,
  rest: {
    method: 'POST',
    path: '/projects/:project_id/webhooks',
    bare: 'webhook',
    example: { url: 'https://hooks.example.org/planner', types: ['task.done', 'comment'] },
  },
  // An unknown project is reported before a URL that is not accepted.
  prepare: (input, _, context) =>
    context.view(() => ({ ...input, url: webhookUrl(input.url, context.webhookHosts).href })),
  run: (tx, { url, types = [] }) => {
    requireEventTypes(types);
    return { webhook: createWebhook(tx, url, types) };
  },
};

const listTag = (view: PlanReadTransaction): Tag => ({
  own: hashOf(webhooksOf(view).map((hook) => showWebhook(view.service, hook))),
  rest: '0',
});

const list: Read<ListWebhooksInput, WebhookListAnswer> = {
  name: 'list_webhooks',
  summary: 'Webhooks of a project, without their secrets',
  group: groups.webhooks,
  input: 'ListWebhooksInput',
  output: 'WebhookListAnswer',
  scope: 'project',
  effect: 'read',
  peopleOnly: true,
  rest: { method: 'GET', path: '/projects/:project_id/webhooks' },
  tag: listTag,
  run: (view, input, context) => {
    const show = (hook: WebhookRecord): WebhookListAnswer['webhooks'][number] => showWebhook(view.service, hook);
    const { rows, ...more } = servicePage(webhooksOf(view), input, context, show, listTag(view));
    return { webhooks: rows, ...more };
  },
};

/** A change of one webhook, which returns it. */
function changing(
  name: string,
  summary: string,
  change: (tx: Tx<PlannerCollections>, id: string) => WebhookRecord,
): Write<WebhookInput, WebhookAnswer> {
  return {
    name: `${name}_webhook`,
    summary,
    group: groups.webhooks,
    input: 'WebhookInput',
    output: 'WebhookAnswer',
    scope: 'project',
    effect: 'write',
    peopleOnly: true,
    locate: byWebhook,
    rest: { method: 'POST', path: `${path}/${name}`, bare: 'webhook', status: 200 },
    run: (tx, { webhook_id: id }) => ({ webhook: showWebhook(tx.service, change(tx, id)) }),
  };
}

const pause = changing('pause', 'Pause a webhook; its events wait', pauseWebhook);
const resume = changing('resume', 'Resume a webhook that is paused, or retry at once', resumeWebhook);

const remove: Write<WebhookInput, void> = {
  name: 'delete_webhook',
  summary: 'Delete a webhook with its deliveries',
  group: groups.webhooks,
  input: 'WebhookInput',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate: byWebhook,
  rest: { method: 'DELETE', path },
  run: (tx, { webhook_id: id }) => deleteWebhook(tx, id),
};

const deliveriesTag = (view: PlanReadTransaction, { webhook_id: id }: { readonly webhook_id: string }): Tag => ({
  own: hashOf(deliveriesOf(view.service, webhookOf(view, id).id).map((delivery) => delivery.id)),
  rest: '0',
});

const deliveries: Read<ListWebhookDeliveriesInput, WebhookDeliveryListAnswer> = {
  name: 'list_webhook_deliveries',
  summary: 'The last deliveries of a webhook, with the answers of the receiver',
  group: groups.webhooks,
  input: 'ListWebhookDeliveriesInput',
  output: 'WebhookDeliveryListAnswer',
  scope: 'project',
  effect: 'read',
  peopleOnly: true,
  locate: byWebhook,
  rest: { method: 'GET', path: `${path}/deliveries` },
  tag: deliveriesTag,
  run: (view, input, context) => {
    const kept = deliveriesOf(view.service, webhookOf(view, input.webhook_id).id);
    const { rows, ...more } = servicePage(kept, input, context, showDelivery, deliveriesTag(view, input));
    return { deliveries: rows, ...more };
  },
};

const again: Write<RedeliverWebhookInput, WebhookAnswer> = {
  name: 'redeliver_webhook',
  summary: 'Deliver the event of a delivery once more, soon',
  group: groups.webhooks,
  input: 'RedeliverWebhookInput',
  output: 'WebhookAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate: byWebhook,
  rest: {
    method: 'POST',
    path: `${path}/deliveries/:delivery_id/redeliver`,
    bare: 'webhook',
    status: accepted,
  },
  run: (tx, { webhook_id: id, delivery_id: delivery }) => ({
    webhook: showWebhook(tx.service, redeliver(tx, id, delivery)),
  }),
};

export const webhookOperations: readonly PlannerOperation[] = [
  ...[create, list, pause, resume, remove],
  ...[deliveries, again],
];
