/** The means of the agent. */
export interface Hands {
  readonly say: (text: string) => Promise<void>;
  /** Writes a file of its worktree. */
  readonly write: (path: string, text: string) => Promise<void>;
  readonly commit: (message: string) => Promise<void>;
  /** Asks a person. Resolves with one of the choices, the first one without an answer. */
  readonly ask: (question: string, choices: readonly string[]) => Promise<string>;
}

/** The turns of the agent at each task, by its label. The runner commits the files that it leaves uncommitted. */
export const scripts: Readonly<Record<string, readonly ((hands: Hands) => Promise<void>)[]>> = {
  'Add up the prices of a cart': [
    async ({ say, write, commit }) => {
      await say('A cart is a list of items. I add up their prices.');
      await write('src/total.js', 'export const total = (cart) => cart.reduce((sum, { price }) => sum + price, 0);\n');
      await write('test/total.test.js', testOf('total', 'a total', 'total([{ price: 20 }, { price: 5 }])', '25'));
      await commit('Add up the prices of a cart');
    },
  ],
  'Print a price': [
    async ({ say, write, ask }) => {
      const form = await ask('How is a price written?', ['€ 12.50', '12.50 €']);
      await say(`As in ${form}, then.`);
      const printed = form.replace('12.50', `\${amount.toFixed(2)}`);
      await write('src/price.js', `export const price = (amount) => \`${printed}\`;\n`);
      await write('test/price.test.js', testOf('price', 'a price', 'price(12.5)', `'${form}'`));
    },
  ],
  'Take ten percent off from 100 euros': [
    async ({ say, write }) => {
      await say('From 100 euros on I take ten off.');
      await write('test/discount.test.js', testOf('discount', 'a discount', 'discount(200)', '180'));
      await write('src/discount.js', 'export const discount = (sum) => (sum < 100 ? sum : sum - 10);\n');
    },
    async ({ say, write, commit }) => {
      await say('The gate says 190 and not 180: I took off ten euros, and not ten percent.');
      await write('src/discount.js', 'export const discount = (sum) => (sum < 100 ? sum : sum * 0.9);\n');
      await commit('Take off ten percent, not ten euros');
    },
  ],
  'Add what shipping costs': [
    async ({ say, write }) => {
      await say('Shipping costs 5 euros, and nothing from 50 euros on.');
      await write('src/shipping.js', 'export const shipping = (sum) => (sum < 50 ? 5 : 0);\n');
      await write('test/shipping.test.js', testOf('shipping', 'shipping', '[shipping(49), shipping(50)]', '[5, 0]'));
    },
  ],
  'Print a receipt': [
    async ({ say, write, commit }) => {
      await say('A receipt needs the total, the discount, the shipping, and printed prices.');
      await write(
        'src/receipt.js',
        `import { discount } from './discount.js';
import { price } from './price.js';
import { shipping } from './shipping.js';
import { total } from './total.js';

export function receipt(cart) {
  const sum = discount(total(cart));
  return [...cart.map((item) => \`\${item.name} \${price(item.price)}\`), \`Total \${price(sum + shipping(sum))}\`];
}
`,
      );
      await write(
        'test/receipt.test.js',
        testOf('receipt', 'a receipt', "receipt([{ name: 'Bowl', price: 200 }])[1].includes('180.00')", 'true'),
      );
      await commit('Print a receipt');
    },
  ],
  'Explain the receipt': [
    async ({ write }) => {
      await write('README.md', '# Shop\n\n`receipt(cart)` prints the items of a cart and what they cost together.\n');
    },
  ],
};

function testOf(name: string, title: string, call: string, expected: string): string {
  return `import assert from 'node:assert/strict';
import test from 'node:test';
import { ${name} } from '../src/${name}.js';

test('${title}', () => assert.deepEqual(${call}, ${expected}));
`;
}
