import { expect } from 'chai';
import { type Append, emptyHead, type Log } from '../../../src/store/record/log.ts';
import { describeLog, type LogWorld, type SharedStorage } from './describe-log.ts';
import { describeChanges } from './describe-changes.ts';
import { SimulatedLog, SimulatedLogServer } from './simulated-log.ts';

class SimulatedLogWorld implements LogWorld {
  readonly #server = new SimulatedLogServer();
  #kept = this.#server.copy();
  readonly backup = {
    keep: (): void => void (this.#kept = this.#server.copy()),
    restore: (): void => this.#server.restore(this.#kept),
  };
  readonly shared: SharedStorage = {
    another: () => this.open(),
    keepBlob: (sha256) => void this.#server.blobs.add(sha256),
    hasAnswer: (id) => this.#server.hasAnswer(id),
    revision: async (project, id) => (await this.#server.revisions.get(project, [id]))[0],
    text: async (sha256) => (await this.#server.texts.get([sha256]))[0],
    cut: (log, when) => (log as SimulatedLog).cut(when),
    failOver: () => this.#server.failOver(),
    pause: (log) => (log as SimulatedLog).pause(),
    resume: (log) => (log as SimulatedLog).resume(),
  };

  open(): Promise<Log> {
    return Promise.resolve(new SimulatedLog(this.#server));
  }

  kill(log: Log): Promise<void> {
    return (log as SimulatedLog).kill();
  }

  trim(): Promise<void> {
    this.#server.trim();
    return Promise.resolve();
  }

  fill(): void {
    this.#server.isFull = true;
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }
}

describeLog({ name: 'simulated, shared by nodes', make: () => new SimulatedLogWorld(), isShared: true });
describeChanges('simulated, shared by nodes', () => new SimulatedLogWorld());

describe('The simulated log', () => {
  it('does not say that nothing was appended while its first message may still be', async () => {
    const server = new SimulatedLogServer();
    server.isFull = true;
    const late = Promise.withResolvers<void>();
    let messages = 0;
    const travel = async (): Promise<void> => {
      // The second message is the first append, which travels on while its outcome is asked for.
      if (++messages === 2) await late.promise;
    };
    const log = new SimulatedLog(server, { travel });
    const append: Append = { project: 'a', after: emptyHead, id: 'evt_1', body: {} };
    log.cut('late');
    const outcome = await log.append(append);
    expect(outcome).to.include({ is: 'refused', isUndecided: true });
    server.isFull = false;
    late.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.at('a', 1)).to.equal('evt_1');
    await log.close();
  });
});
