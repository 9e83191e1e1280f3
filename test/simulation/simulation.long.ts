import { casts } from './casts.ts';
import { simulateFor } from './suite.ts';

describe('The store in simulations of half an hour', () => {
  for (const [name, cast] of Object.entries(casts))
    it(`serves, writes and remembers what ${name} do`, () =>
      simulateFor((30 * 60) / Object.keys(casts).length, { ...cast, seeds: Infinity }));
});
