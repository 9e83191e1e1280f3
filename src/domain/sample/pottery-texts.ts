import type { GoalStatus, LastVerification } from '../../schema/types.ts';

/** The goals, texts and people of the sample plan. Times are days before now. */

const gate = (command: string): object => ({ kind: 'gate_command', command });

export interface SampleGoal {
  readonly key: string;
  readonly name: string;
  readonly objective: string;
  readonly status?: GoalStatus;
  readonly verification_surface?: object;
  readonly constraints?: string;
  readonly stop_condition?: string;
  readonly verification?: Omit<LastVerification, 'at'> & { readonly daysAgo: number };
  /** The key of the task that red evidence has filed. */
  readonly remediation?: string;
}

export const sampleGoals: readonly SampleGoal[] = [
  { key: 'general', name: 'General', objective: 'Tasks of this project that belong to no other goal.' },
  {
    key: 'catalogue',
    name: 'Catalogue',
    status: 'complete',
    objective: 'Visitors find every pot with its price and its size, and see at once whether it is still there.',
    verification_surface: gate('npm test -- catalogue'),
    constraints: 'Pages are rendered on the server; no page over 100 kB without its pictures.',
    verification: {
      ...{ daysAgo: 6, green: true, kind: 'gate_command', reported_by: 'builder-1' },
      detail: 'Exit code 0 of npm test -- catalogue.\n\nAt commit 4f2c91e: 212 passed.',
    },
  },
  {
    key: 'checkout',
    name: 'Checkout',
    objective:
      'A visitor buys a pot on a phone in two minutes, without an account, and **only one person can buy it**.',
    verification_surface: gate('npm test -- checkout'),
    stop_condition: 'Stop and ask before anything that costs money.',
  },
  {
    key: 'opening',
    name: 'Opening day',
    objective: 'The shop is open, the local paper knows, and the shop owner sleeps well.',
    verification_surface: {
      kind: 'acceptance_checklist',
      items: [
        { criterion: 'A stranger bought a pot on a phone.' },
        { criterion: 'A backup of this week was restored.' },
        { criterion: 'Every page was read with a screen reader.' },
      ],
    },
  },
  {
    key: 'search',
    name: 'Search',
    status: 'blocked',
    objective: 'Someone who types `celadon bowl` sees the bowls in celadon that can still be bought.',
    verification_surface: gate('npm test -- search'),
    verification: {
      ...{ daysAgo: 1, green: false, kind: 'gate_command', reported_by: 'builder-2' },
      detail: 'Exit code 1 of npm test -- search.\n\n`celadon` finds sold pots first.',
    },
    remediation: 'remedy',
  },
];

export const sampleDocuments = [
  {
    key: 'architecture',
    title: 'Architecture',
    status: 'agreed',
    links: ['stack', 'model'],
    body: `# Architecture

One process serves the pages and keeps **one file** as its database.

| Part | Does | Where |
| ---- | ---- | ----- |
| catalogue | lists pots and shows one | \`src/catalogue\` |
| checkout | basket, reservation, payment | \`src/checkout\` |
| mail | confirmations and invoices | \`src/mail\` |

## One of a kind

Every pot exists once. It is \`for sale\`, \`reserved\` for fifteen minutes, or \`sold\`; the database allows no other change. Two requests for one
pot are decided there and nowhere else.

- [x] a reservation ends by itself
- [x] a payment for an ended reservation is returned
- [ ] a pot that broke on the way is for sale again: never
`,
  },
  {
    key: 'cards',
    title: 'Decision 7: cards first',
    folder: true,
    status: 'decided',
    links: ['pay'],
    body: `# Decision 7: cards first

Of the last hundred customers at the market, 83 paid by card. Invoices follow after opening day.

**Not chosen:** an account with us (a password for one pot), cash on delivery (the parcel service does not offer it).
`,
  },
  {
    key: 'opening',
    title: 'Opening day, hour by hour',
    links: ['party', 'domain'],
    body: `# Opening day, hour by hour

1. 08:00 the designer looks at every page on an old phone
2. 10:00 the domain points here
3. 18:00 the shop opens, the first pot is sold at the counter *and* on the page
`,
  },
] as const;

export const sampleNotes = [
  {
    key: 'call',
    title: 'Call with the potter',
    body: '- the blue glaze is sold out until spring\n- wants to write the texts herself\n- **no discounts**',
  },
  {
    key: 'ideas',
    title: 'Ideas for later',
    body: 'A pot of the month by mail. A map of the shops that have our pots.',
  },
] as const;

const screen = (title: string, body: string, button: string): string => `<!doctype html>
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #33251d; background: #faf6f1 }
header { padding: 18px 20px; background: #33251d; color: #faf6f1; font-size: 18px }
main { padding: 20px } h1 { font-size: 22px; margin: 0 0 12px }
.pot { display: flex; gap: 14px; padding: 14px; background: #fff; border-radius: 12px; align-items: center }
.pot i { width: 56px; height: 64px; border-radius: 12px 12px 24px 24px; background: linear-gradient(#7fa8a1, #4d7d78) }
label { display: block; margin: 12px 0 4px } input { width: 100%; box-sizing: border-box; padding: 12px; border: 1px solid #c9b8a8; border-radius: 8px; font: inherit }
button { width: 100%; margin-top: 20px; padding: 14px; border: 0; border-radius: 12px; background: #a4502c; color: #fff; font: inherit }
</style>
<header>Pottery shop</header>
<main><h1>${title}</h1>${body}<button>${button}</button></main>
`;

export const sampleScreens = [
  {
    key: 'screen-basket',
    title: 'Basket',
    content: screen(
      'Your basket',
      '<div class="pot"><i></i><div><b>Celadon bowl</b><br>38 · reserved for 14:32</div></div>',
      'Go on',
    ),
  },
  {
    key: 'screen-address',
    title: 'Address',
    content: screen(
      'Where to?',
      '<label for="n">Name</label><input id="n"><label for="s">Street and number</label><input id="s"><label for="p">Postcode and town</label><input id="p">',
      'Pay 44.90',
    ),
  },
  {
    key: 'screen-paid',
    title: 'Paid',
    content: screen(
      'Thank you',
      '<p>Your bowl leaves the workshop tomorrow. It is the only one.</p>',
      'Back to the shop',
    ),
  },
] as const;

export const sampleReport = `# One hundred visitors, first try

| | median | slowest |
| --- | --- | --- |
| list of pots | 31 ms | 90 ms |
| one pot | 12 ms | 40 ms |

**Found:** pictures are scaled at the first request. They should be scaled when they are uploaded.
`;

export const sampleComments = [
  {
    on: 'task',
    of: 'pay',
    author: 'human:reviewer',
    daysAgo: 2,
    body: '<p>The test card of the provider expires next month.</p>',
  },
  {
    on: 'task',
    of: 'reserve',
    author: 'agent:builder-1',
    daysAgo: 1,
    body: '<p>Done with a <strong>unique index</strong>; the clock test takes 0.2 s.</p>',
  },
  {
    on: 'task',
    of: 'words',
    author: 'human:shop owner',
    daysAgo: 3,
    body: '<p>I would like to write these myself.</p>',
  },
  {
    on: 'document',
    of: 'architecture',
    author: 'human:designer',
    daysAgo: 4,
    body: '<p>Fifteen minutes is short on a slow train. Twenty?</p>',
    passage: 'fifteen minutes',
  },
] as const;

export const sampleSubmissions = [
  {
    key: 'norway',
    participant_name: 'A regular customer',
    title: 'Do you ship to Norway?',
    body: 'I would take two bowls.',
    daysAgo: 1,
  },
  {
    key: 'gallery',
    participant_name: 'The gallery across the street',
    title: 'Prices for ten vases',
    body: 'For an exhibition in May.',
    daysAgo: 2,
  },
] as const;

export const sampleRuns = [
  {
    key: 'catalogue-run',
    label: 'Catalogue, last round',
    agent_ref: 'builder-1',
    status: 'completed',
    daysAgo: 6,
    events: ['Filter by glaze and size: 14 tests', 'Test the catalogue from outside: 212 passed', 'Evidence submitted'],
  },
  {
    key: 'search-run',
    label: 'Search',
    agent_ref: 'builder-2',
    status: 'running',
    daysAgo: 1,
    events: ['The gate is red: `celadon` finds sold pots first.', 'Should sold pots be found at all?'],
  },
] as const;
