/** A task of the plan; `after` has the labels of those that come before it. */
export interface PlannedTask {
  readonly label: string;
  readonly description: string;
  readonly after: readonly string[];
  /** The files that it changes: tasks that share some are never worked at once. */
  readonly covers: readonly string[];
  /** `auto`: merged when its gate is green; `approve`: a person looks at it first. */
  readonly lane: 'auto' | 'approve';
}

export const goal = {
  name: 'Receipts',
  objective: 'The shop prints a receipt for a cart.',
  verification_surface: { kind: 'gate_command', command: 'node --test' },
  iteration_policy: 'retry 2',
  covers: ['src', 'test'],
};

const module = (name: string): readonly string[] => [`src/${name}.js`, `test/${name}.test.js`];

/** A person looks at it before it is merged. */
export const last: PlannedTask = {
  label: 'Explain the receipt',
  description: 'One sentence in the README.',
  ...{ after: ['Print a receipt'], covers: ['README.md'], lane: 'approve' },
};

export const tasks: readonly PlannedTask[] = [
  {
    label: 'Add up the prices of a cart',
    description: 'The total of its items, in euros.',
    ...{ after: [], covers: module('total'), lane: 'auto' },
  },
  {
    label: 'Print a price',
    description: 'With two digits for the cents. Ask how it is written.',
    ...{ after: [], covers: module('price'), lane: 'auto' },
  },
  {
    label: 'Take ten percent off from 100 euros',
    description: '200 euros become 180.',
    ...{ after: ['Add up the prices of a cart'], covers: module('discount'), lane: 'auto' },
  },
  {
    label: 'Add what shipping costs',
    description: '5 euros; from 50 euros on it is free.',
    ...{ after: ['Add up the prices of a cart'], covers: module('shipping'), lane: 'auto' },
  },
  {
    label: 'Print a receipt',
    description: 'Each item with its price, then the total with discount and shipping.',
    after: ['Print a price', 'Take ten percent off from 100 euros', 'Add what shipping costs'],
    ...{ covers: module('receipt'), lane: 'auto' },
  },
  last,
];
