import type { HostedOptions } from '../../src/store/hosted/node/hosted-options.ts';
import { HostedStore } from '../../src/store/hosted/node/hosted-store.ts';
import type { SharedStorage } from '../../src/store/hosted/storage/shared-storage.ts';
import type { AnswerStore } from '../../src/store/hosted/storage/answer-store.ts';
import { fewEntries } from '../store/describe-store.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { MemorySnapshots } from './memory-snapshots.ts';
import { optionsOf, testCollections, type TestCollections } from './plan-store.ts';

/** The answers for tests without repeats of calls. */
const noAnswers: AnswerStore = { find: () => Promise.resolve(undefined), sweep: () => Promise.resolve(0) };

const unused: SharedStorage['revisions'] = {
  get: () => Promise.reject(new Error('This node has no storage for revisions.')),
};

const noTexts: SharedStorage['texts'] = {
  get: () => Promise.reject(new Error('This node has no storage for texts.')),
};

/**
 * A node with the test collections over a log. Missing parts of its storage are its own; a simulated log has answers,
 * revisions and texts. A node that begins does not wait for its projects.
 */
export function openTestNode(
  { log, ...storage }: Pick<SharedStorage, 'log'> & Partial<SharedStorage>,
  options: Partial<HostedOptions> = {},
  how: 'open' | 'begin' = 'open',
): Promise<HostedStore<TestCollections>> {
  const { answers = noAnswers, revisions = unused, texts = noTexts } = log as Partial<SharedStorage>;
  const own = {
    answers,
    blobs: new MemoryBlobs(),
    snapshots: new MemorySnapshots(),
    ...{ revisions, texts },
    close: () => log.close(),
  };
  return HostedStore[how]<TestCollections>({
    storage: { ...own, ...storage, log },
    collections: testCollections,
    serviceCollections: optionsOf('/').serviceCollections ?? [],
    ...options,
  });
}

/** Snapshots are taken after few entries; a node's reports are shown. */
export const reportedSnapshots: Pick<HostedOptions, 'snapshots' | 'report'> = {
  snapshots: fewEntries,
  report: (message) => process.stderr.write(`      store: ${message}\n`),
};
