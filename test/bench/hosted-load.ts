import type { Request } from 'autocannon';
import type { ServerProcess } from '../support/server-process.ts';
import { HttpClient } from './http-client.ts';
import { median, timed } from './measure.ts';
import { textOf } from './plans.ts';
import { atRest } from './process-usage.ts';

export const task = {
  label: 'Measure the bed',
  status: 'todo',
  description: 'Note what it needs before the frost comes.',
};

/** Processor time of a service without calls in half a second, at most: a node asks its log all the time. */
const idleMs = 15;

export type StartNode = (schema: string, options?: NodeOptions) => Promise<ServerProcess>;

export interface NodeOptions {
  readonly reads?: string;
  /** The URL of the service's database. Default: the cluster's. */
  readonly url?: string;
}

/** A new project with tasks. A node asks its log all the time, so there is no rest to wait for. */
export async function planted(
  service: ServerProcess,
  name: string,
  count: number,
): Promise<{ readonly projectId: string; readonly taskIds: readonly string[] }> {
  const client = new HttpClient(service.url);
  const taskIds = Array.from({ length: count }, (_, at) => `${name.toLowerCase().replaceAll(' ', '-')}-${at}`);
  const tasks = taskIds.map((id, at) => ({ id, label: `Task ${at}`, description: textOf(400, at) }));
  const project = { format: 'planner-export-v1', project: { name }, tasks };
  const { id } = await client.json<{ id: string }>('POST', '/projects/import', project);
  const list = await client.json<{ tasks: readonly { readonly id: string }[] }>(
    'GET',
    `/projects/${id}/tasks?limit=${Math.min(count, 500)}`,
  );
  client.close();
  return { projectId: id, taskIds: list.tasks.map((one) => one.id) };
}

export function createIn(projectId: string): Request {
  const headers = { 'content-type': 'application/json' };
  return { path: `/api/v1/projects/${projectId}/tasks`, method: 'POST', headers, body: JSON.stringify(task) };
}

/**
 * Measures once these services are at rest: acknowledged changes over files are written later, and nodes take snapshots
 * of changed projects. Both would disturb the next load.
 */
export async function rested<T>(services: readonly ServerProcess[], measure: () => Promise<T>): Promise<T> {
  for (const { pid } of services) await atRest(pid, idleMs);
  return measure();
}

/** The median of a caller who waits for each of so many answers, in milliseconds. */
export async function oneCaller(calls: number, call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < calls; at++) times.push(await timed(call));
  return median(times);
}
