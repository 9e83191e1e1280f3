import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Shell } from '../cli/planner.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { expectEqualExports } from '../sync/compare-lines.ts';
import type { PostgresCluster } from '../support/postgres-cluster.ts';
import type { RestClient } from '../support/rest-client.ts';

/** The export of a project by a service. */
export async function exportOf({ url, headers }: RestClient, project: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/projects/${project}/export`, { headers });
  if (!response.ok) throw new Error(`The export was answered ${response.status}: ${await response.text()}`);
  return response.text();
}

/** A service over a database with one project, and a person with a working copy of it. */
export class HostedCopy {
  readonly nodes: HostedNodes;
  readonly shell: Shell;
  readonly project: string;

  /** `urlOf`: the URL at which the working copy calls the service; default: its own. */
  static async start(
    cluster: PostgresCluster,
    scratch: string,
    urlOf: (url: string) => Promise<string> | string = (url) => url,
  ): Promise<HostedCopy> {
    const nodes = await HostedNodes.start(cluster, 1);
    const shell = new Shell(scratch);
    const { body } = await nodes.rest(0).post('/projects', { name: 'Garden' });
    await shell.ok(['pull', await urlOf(nodes.url(0)), '--into', shell.directory]);
    return new HostedCopy(nodes, shell, body.id as string);
  }

  private constructor(nodes: HostedNodes, shell: Shell, project: string) {
    this.nodes = nodes;
    this.shell = shell;
    this.project = project;
  }

  get rest(): RestClient {
    return this.nodes.rest(0);
  }

  /** The directory `.planner`. */
  get files(): string {
    return join(this.shell.directory, '.planner');
  }

  /** Makes something in the hosted project; returns it. */
  // Tests read results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  async there(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await this.rest.send(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Calls an operation on the files. */
  // oxlint-disable-next-line typescript/no-explicit-any
  here(operation: string, input: object): Promise<any> {
    return this.shell.json(['call', operation, JSON.stringify({ project_id: this.project, ...input })]);
  }

  /** Calls an operation that finds the project by a record. */
  // oxlint-disable-next-line typescript/no-explicit-any
  hereOf(operation: string, input: object): Promise<any> {
    return this.shell.json(['call', operation, JSON.stringify(input)]);
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  sync(): Promise<any> {
    return this.shell.json(['sync']);
  }

  /** The path that ends with a text, else of the only file whose path has it. */
  fileNamed(text: string): string {
    const all = readdirSync(this.files, { recursive: true, encoding: 'utf8' });
    const whole = all.find((name) => name.endsWith(text));
    const found = whole === undefined ? all.filter((name) => name.includes(text)) : [whole];
    if (found.length !== 1) throw new Error(`${found.length} files have ${text} in their paths: ${found.join(', ')}`);
    return join(this.files, found[0]!);
  }

  /** Removes a file, or a directory, by hand. */
  remove(text: string): void {
    rmSync(this.fileNamed(text), { recursive: true });
  }

  /** Edits a file by hand. */
  edit(text: string, change: (content: string) => string): void {
    const path = this.fileNamed(text);
    const before = readFileSync(path, 'utf8');
    const after = change(before);
    if (after === before) throw new Error(`The edit of ${path} changed nothing:\n${before}`);
    writeFileSync(path, after);
  }

  /** Fails unless both exports are equal, byte by byte. Returns the export. */
  async requireEqual(directory = this.shell.directory): Promise<string> {
    const [here, there] = [
      await this.shell.ok(['export', '--root', directory]),
      await exportOf(this.rest, this.project),
    ];
    expectEqualExports(here, there);
    return there;
  }

  stop(): Promise<void> {
    return this.nodes.stop();
  }
}
