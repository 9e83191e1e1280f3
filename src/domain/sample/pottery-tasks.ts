import type { TaskStatus } from '../../schema/types.ts';

/** A task of the sample plan, as it is written down. */
export interface SampleTask {
  readonly key: string;
  readonly goal: string;
  readonly label: string;
  readonly status: TaskStatus;
  readonly priority?: string;
  readonly kind?: string;
  readonly tags?: readonly string[];
  readonly assignee?: string;
  /** The number of days until the task is due; negative if it is overdue. */
  readonly due?: number;
  /** The keys of the tasks before it. */
  readonly after?: readonly string[];
  readonly lane?: string;
  readonly severity?: string;
  readonly verified?: string;
  readonly text?: string;
}

type Rest = Omit<SampleTask, 'key' | 'goal' | 'label' | 'status'>;

const of =
  (goal: string) =>
  (key: string, status: TaskStatus, label: string, rest: Rest = {}): SampleTask => ({
    key,
    goal,
    label,
    status,
    ...rest,
  });

const catalogue = of('catalogue');
const checkout = of('checkout');
const opening = of('opening');
const search = of('search');
const general = of('general');

const inCatalogue = [
  catalogue('stack', 'done', 'Choose the stack', {
    kind: 'decision',
    text: 'One language, one process, one database file: see *Architecture*.',
  }),
  catalogue('repo', 'done', 'Set up the repository and its gate', { after: ['stack'] }),
  catalogue('model', 'done', 'Model pots, glazes and sizes', {
    after: ['repo'],
    tags: ['data'],
    text: 'A pot is sold once: it has a state, not a stock.',
  }),
  catalogue('import', 'done', "Import the potter's spreadsheet", {
    after: ['model'],
    tags: ['data'],
    text: '212 rows, prices as `38,-`.',
  }),
  catalogue('photos', 'done', 'Scale and store the photographs', { after: ['model'], tags: ['pictures'] }),
  catalogue('list', 'done', 'List the pots, newest first', { after: ['import'], tags: ['page'] }),
  catalogue('detail', 'done', 'One page for each pot', { after: ['list', 'photos'], tags: ['page'] }),
  catalogue('filter', 'done', 'Filter by glaze and size', { after: ['list'], tags: ['page'] }),
  catalogue('tests', 'done', 'Test the catalogue from outside', { after: ['detail', 'filter'], tags: ['tests'] }),
];

const inCheckout = [
  checkout('basket', 'done', 'Keep a basket without an account', { tags: ['page'], verified: 'Run 118 of the gate' }),
  checkout('reserve', 'done', 'Reserve a pot for fifteen minutes', {
    after: ['basket'],
    lane: 'approve',
    tags: ['data'],
    assignee: 'builder-1',
    text: 'Two people must never pay for one pot. The clock is that of the database.',
  }),
  checkout('address', 'in_progress', 'Ask for the address once', {
    after: ['basket'],
    tags: ['page'],
    assignee: 'designer',
    text: 'Three fields at most on a phone. The screens are in the prototype *Checkout*.',
  }),
  checkout('shipping', 'todo', 'Compute shipping by weight', {
    after: ['basket'],
    priority: 'high',
    tags: ['data'],
    text: 'Up to 2 kg, up to 10 kg, heavier: ask the potter.\n\n- [x] table of prices\n- [ ] parcels with several pots',
  }),
  checkout('onebuyer', 'todo', 'One pot, one buyer, under load', {
    after: ['reserve'],
    priority: 'urgent',
    tags: ['tests'],
  }),
  checkout('mail', 'todo', 'Send a confirmation by mail', { after: ['basket'], priority: 'high', tags: ['mail'] }),
  checkout('pay', 'todo', 'Take cards', {
    after: ['address', 'shipping'],
    priority: 'urgent',
    due: 4,
    text: 'Cards first, invoices later. No card number reaches our server.',
  }),
  checkout('tax', 'todo', "Tax for the neighbours' countries", { after: ['shipping'], due: -2, tags: ['data'] }),
  checkout('invoice', 'todo', 'Send invoices', { after: ['pay'], tags: ['mail'] }),
  checkout('refund', 'todo', 'Refund a pot that broke on the way', { after: ['pay'] }),
  checkout('browser', 'todo', 'Buy a pot in a real browser', { after: ['pay', 'mail'], tags: ['tests'] }),
  checkout('imprint', 'todo', 'Imprint and privacy', { priority: 'low', tags: ['words'] }),
];

const inOpening = [
  opening('backup', 'done', 'Restore a backup in a drill', { verified: 'Restored in four minutes' }),
  opening('autumn', 'in_progress', 'Photograph the autumn pots', { assignee: 'photographer', tags: ['pictures'] }),
  opening('words', 'todo', 'Write the texts of the front page', { priority: 'high', due: 2, tags: ['words'] }),
  opening('front', 'todo', 'Build the front page', { after: ['autumn', 'words'], tags: ['page'] }),
  opening('reader', 'todo', 'Read every page with a screen reader', { after: ['front'], tags: ['tests'] }),
  opening('crowd', 'todo', 'One hundred visitors at once', { after: ['front', 'pay'], tags: ['tests'] }),
  opening('domain', 'todo', 'Point the domain here', { due: 6 }),
  opening('watch', 'todo', 'Watch the shop from outside', { after: ['domain'] }),
  opening('party', 'todo', 'Plan the opening evening', { assignee: 'shop owner', due: 12 }),
  opening('paper', 'scope', 'Write to the local paper', {
    after: ['front'],
    text: 'A person decides whether we want that.',
  }),
  opening('vouchers', 'scope', 'Sell vouchers'),
];

const inSearch = [
  search('index', 'done', 'Index the descriptions', { tags: ['data'] }),
  search('typos', 'done', 'Forgive typos', { after: ['index'] }),
  search('rank', 'done', 'Rank what is still for sale first', { after: ['index'] }),
  search('remedy', 'scope', 'Make the verification green: Search', {
    text: 'The verification of the goal "Search" was red.\n\nExit code 1 of npm test -- search.\n\n`celadon` finds sold pots first.',
  }),
];

const inGeneral = [
  general('price', 'todo', 'The price is shown twice on old phones', { severity: 'low', tags: ['page'] }),
  general('english', 'backlog', 'An English version', { tags: ['words'] }),
  general('wholesale', 'backlog', 'Prices for galleries'),
  general('dark', 'backlog', 'Dark mode', { tags: ['page'] }),
];

export const sampleTasks: readonly SampleTask[] = [
  ...inCatalogue,
  ...inCheckout,
  ...inOpening,
  ...inSearch,
  ...inGeneral,
];
