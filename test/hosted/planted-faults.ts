import type { PlantedFault } from '../simulation/planted-faults.ts';

/** Faults that histories of several nodes have to refuse. */
export const plantedFaults: readonly Omit<PlantedFault, 'without'>[] = [
  {
    name: 'reads do not ask the log first',
    file: 'src/store/transactions/store.ts',
    from: 'if (engine.catchUp !== undefined) await engine.catchUp(found);',
    to: '',
  },
  {
    name: 'refusals, and answers that change nothing, are not checked',
    file: 'src/store/commit/commit.ts',
    from: 'else if (isCurrent) return settled(outcome);',
    to: 'else if (catchUp) return settled(outcome);',
  },
  {
    name: 'tags name what was appended together, and not the change set',
    file: 'src/store/replica/version.ts',
    from: `  return set === 0 ? text : \`\${text}-\${set.toString(base36)}\`;
}

export function parseVersion(text: string): Version | undefined {`,
    // As if two entries were one, and the name meant the end of it.
    to: `  const both = \`0-\${Math.floor((order - set) / setsPerEntryMax / 2).toString(base36)}\`;
  if (!(named.get(both)?.order > order)) named.set(both, { order, epoch });
  return both;
}

const named = new Map();

export function parseVersion(text: string): Version | undefined {
  if (named.has(text)) return named.get(text);`,
  },
  {
    name: 'entries do not name what they touch',
    file: 'src/store/replica/versions.ts',
    from: 'return Object.keys(found).length === 0 ? undefined : found;',
    to: 'return undefined;',
  },
  {
    name: 'an append whose answer was lost counts as won before it is replicated',
    file: 'test/store/log/simulated-log.ts',
    from: `      await this.#message();
      if (this.#server.epoch !== epoch) continue;
      this.#server.replicate();
      return sent;`,
    to: '      return sent;',
  },
];

/** Faults of catching up with all projects, which only histories with reads of all of them can refuse. */
export const plantedInCatchingUp: typeof plantedFaults = [
  {
    name: 'reads of all projects go by a question that was asked before them',
    file: 'src/store/hosted/node/changed-logs.ts',
    from: 'return this.#next;',
    to: 'return Promise.race([this.#next, this.#asking]);',
  },
];
