import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemotePlanner } from '../../src/cli/service/remote-planner.ts';
import { ServiceClient } from '../../src/cli/service/service-client.ts';
import { PlannerSide } from '../../src/cli/working-copy/planner-side.ts';
import { transferProject } from '../../src/cli/working-copy/transfer.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/index.ts';
import { CommonState } from '../../src/sync/common-state.ts';
import type { Side } from '../../src/sync/side.ts';
import { noteCommonState, Synchroniser } from '../../src/sync/synchronise.ts';
import type { SyncReport } from '../../src/sync/synchronise.ts';
import type { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';
import { exportOf } from '../working-copy/hosted-copy.ts';
import { expectEqualExports } from './compare-lines.ts';

/** Thrown instead of the death of the program. */
class Killed extends Error {}

/** Counts the steps of a synchronisation, and ends it at one of them. */
class Steps {
  /** The steps until the end; each call is two, since the other side may have done it. */
  left = Infinity;

  step(): void {
    if (this.left-- <= 0) throw new Killed('The program was killed.');
  }
}

/** Files that are a working copy of a hosted project, with their service, in this process. */
export class WorkingCopy {
  readonly #hosted: RestClient;
  readonly #project: string;
  readonly #service: TestService;
  readonly #steps = new Steps();

  /** Takes a working copy. `hosted`: the service that has the project. */
  static async take(hosted: RestClient, project: string): Promise<WorkingCopy> {
    const service = await TestService.start();
    const copy = new WorkingCopy(hosted, project, service);
    await transferProject(portOf(hosted.url), portOf(service.url), project);
    await noteCommonState(copy.#sides());
    return copy;
  }

  private constructor(hosted: RestClient, project: string, service: TestService) {
    this.#hosted = hosted;
    this.#project = project;
    this.#service = service;
  }

  /** The client of its service, which is a new one after each restart. */
  get files(): RestClient {
    return this.#service.rest;
  }

  /** Synchronises as a new program. `steps`: dies after so many; returns undefined then. */
  async sync(steps = Infinity): Promise<SyncReport | undefined> {
    this.#steps.left = steps;
    try {
      return await new Synchroniser(this.#sides()).run();
    } catch (thrown) {
      if (thrown instanceof Killed) return undefined;
      throw thrown;
    } finally {
      this.#steps.left = Infinity;
    }
  }

  /** Fails unless its export and the hosted project's export are equal, byte by byte. Returns the export. */
  async requireEqual(): Promise<string> {
    const [here, there] = [await exportOf(this.files, this.#project), await exportOf(this.#hosted, this.#project)];
    expectEqualExports(here, there);
    return there;
  }

  /** Edits one of the files with this ending by hand, if there is one. Returns whether it did. */
  async editFile(choose: (paths: readonly string[]) => string, change: (text: string) => string): Promise<boolean> {
    await this.#service.store.flush();
    const all = readdirSync(this.#service.root, { recursive: true, encoding: 'utf8' });
    const paths = all.filter((path) => path.endsWith('.md') && /(?:tasks|notes|documents)\//.test(path)).sort();
    if (paths.length === 0) return false;
    const path = join(this.#service.root, choose(paths));
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    await this.#service.store.rescan();
    return true;
  }

  restart(): Promise<void> {
    return this.#service.restart();
  }

  stop(): Promise<void> {
    return this.#service.stop();
  }

  #sides(): { files: Side; hosted: Side; state: CommonState } {
    const side = (url: string): Side => this.#mortal(new PlannerSide(portOf(url), this.#project, url));
    const origin = { url: this.#hosted.url, project_id: this.#project };
    const path = join(this.#service.root, 'local/sync/state.json');
    return {
      files: side(this.#service.url),
      hosted: side(this.#hosted.url),
      state: CommonState.read(this.#disk(), path, origin),
    };
  }

  /** A side whose calls are steps, before they arrive and after they were answered. */
  #mortal(side: Side): Side {
    const step = async <T>(call: () => Promise<T>): Promise<T> => {
      this.#steps.step();
      const result = await call();
      this.#steps.step();
      return result;
    };
    return {
      changes: (since) => step(() => side.changes(since)),
      revisions: (ids) => step(() => side.revisions(ids)),
      bytes: (file) => step(() => side.bytes(file)),
      apply: (changes, revisions) => step(() => side.apply(changes, revisions)),
    };
  }

  /** Writing the state is two steps, too: before its file is replaced, and after. */
  #disk(): Disk {
    return {
      ...nodeDisk,
      rename: (from, to) => {
        this.#steps.step();
        nodeDisk.rename(from, to);
        this.#steps.step();
      },
    };
  }
}

function portOf(url: string): RemotePlanner {
  return new RemotePlanner(new ServiceClient({ url }));
}
