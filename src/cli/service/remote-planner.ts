import { PlannerError } from '../../base/errors.ts';
import type { Diagnosis, Input, PlannerPort, RawOperation } from './planner-port.ts';
import type { ImportAnswer } from '../../schema/types.ts';
import { formOf } from '../terminal/form.ts';
import type { FormFile } from '../terminal/form.ts';
import { ServiceClient } from './service-client.ts';

type Members = Readonly<Record<string, unknown>>;

/** A running service, local or remote. */
export class RemotePlanner implements PlannerPort {
  client: ServiceClient;

  constructor(client: ServiceClient) {
    this.client = client;
  }

  /** `key`: the idempotency key of a change. */
  async call(operation: string, input: Input, key?: string): Promise<Members> {
    const headers: Readonly<Record<string, string>> = key === undefined ? {} : { 'Idempotency-Key': key };
    return (await this.client.request('POST', `/call/${encodeURIComponent(operation)}`, input, headers)) as Members;
  }

  async flush(): Promise<void> {
    await this.client.request('POST', '/flush');
  }

  async doctor(fix: boolean): Promise<Diagnosis> {
    return (await this.client.request(fix ? 'POST' : 'GET', '/doctor')) as Diagnosis;
  }

  exportProject(id: string, format: string): Promise<AsyncIterable<Uint8Array>> {
    return this.stream('export_project', { project_id: id, format });
  }

  async stream(operation: RawOperation, input: Input): Promise<AsyncIterable<Uint8Array>> {
    return (await this.client.send('GET', rawPath(operation, input))).body;
  }

  async importProject(files: Iterable<FormFile>, { project_id: into, ...options }: Input): Promise<ImportAnswer> {
    const form = formOf(into === undefined ? options : { ...options, into }, files);
    const response = await this.client.send('POST', '/projects/import', form.body, { 'Content-Type': form.type });
    // Over REST the project is the body, and the other members are added to its own.
    const body = (await this.client.json(response)) as ImportAnswer['project'] & Omit<ImportAnswer, 'project'>;
    const { report, merge, dry_run: isDry, ...project } = body;
    return { project, report, ...(merge !== undefined && { merge }), ...(isDry === true && { dry_run: isDry }) };
  }

  async projectsSeenWith(secret: string): Promise<readonly string[] | undefined> {
    const other = new ServiceClient({ url: this.client.address.url, authorization: `Bearer ${secret}` });
    try {
      const { projects } = (await other.request('GET', '/projects')) as { projects: readonly { id: string }[] };
      return projects.map(({ id }) => id);
    } catch (thrown) {
      if (thrown instanceof PlannerError && thrown.code === 'unauthorized') return undefined;
      throw thrown;
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const rawPaths: Readonly<Record<RawOperation, string>> = {
  export_project: '/projects/:project_id/export',
  get_file: '/files/:file_id',
  list_record_changes: '/projects/:project_id/changes',
};

/** The address of an operation that has no JSON: members of its input that are not in the path are its query. */
function rawPath(operation: RawOperation, input: Input): string {
  const rest = new Map(Object.entries(input));
  const path = rawPaths[operation].replace(/:(\w+)/g, (_, name: string) => {
    rest.delete(name);
    return encodeURIComponent(String(input[name]));
  });
  const given = [...rest]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
