import type { HostedNode } from '../../src/main/hosted-service.ts';
import { RestClient } from '../support/rest-client.ts';
import { startSimulatedNode } from './simulated-node.ts';
import { WorkingCopy } from './working-copy.ts';

/** A hosted project, and working copies of it. */
export class WorkingCopies {
  readonly project: string;
  readonly hosted: RestClient;
  readonly all: readonly WorkingCopy[];
  readonly #node: HostedNode;

  static async start(count: number): Promise<WorkingCopies> {
    const node = await startSimulatedNode();
    const hosted = new RestClient(node.url);
    const { body } = await hosted.post('/projects', { name: 'Garden' });
    const project = body.id as string;
    const all: WorkingCopy[] = [];
    for (let taken = 0; taken < count; taken++) all.push(await WorkingCopy.take(hosted, project));
    return new WorkingCopies(node, hosted, project, all);
  }

  private constructor(node: HostedNode, hosted: RestClient, project: string, all: readonly WorkingCopy[]) {
    this.#node = node;
    this.hosted = hosted;
    this.project = project;
    this.all = all;
  }

  async stop(): Promise<void> {
    for (const copy of this.all) await copy.stop();
    await this.#node.close();
  }
}
